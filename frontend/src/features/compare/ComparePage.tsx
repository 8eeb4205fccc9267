import { Alert, Select, Tag } from 'antd';
import { Link, useSearchParams } from 'react-router';
import { useGet } from '@/api/hooks';
import { hasResults } from '@/api/runs';
import type { components } from '@/api/schema';
import type { Simulation } from '@/api/types';
import { ChartCard, type ChartContext } from '@/charts/ChartCard';
import { groupColors } from '@/charts/palette';
import { correctionWords, findingsOf } from '@/charts/tests';
import { useWidth } from '@/charts/useWidth';
import { paths } from '@/paths';
import { modelName, shortId } from '@/runs/display';
import { FigureHelp } from '@/ui/FigureHelp';
import { count, dateAndTime } from '@/ui/format';
import { EmptyState, Loading, Page, Panel } from '@/ui/Page';
import { plainText } from '@/ui/piped';
import { differencesOf, type QuestionInSimulations } from './differences';
import { DifferenceTable } from './DifferenceTable';
import { Wording } from './Wording';
import '@/charts/charts.css';
import './compare.css';

const LETTERS = ['A', 'B', 'C', 'D'];
const PADDING = 32;

type Compared = components['schemas']['ComparedSimulations'];

/** Two to four runs question by question. Which ones stands in the address: `?runs=5f5d..,9a01..`. */
export default function ComparePage() {
  const [address, setAddress] = useSearchParams();
  const ids = (address.get('runs') ?? '').split(',').filter(Boolean).slice(0, LETTERS.length);
  const choose = (next: string[]) => setAddress(next.length === 0 ? {} : { runs: next.join(',') });
  const { data: offered } = useGet('/api/simulations', { params: { query: { limit: 100 } } });
  const runs = [useRun(ids[0]), useRun(ids[1]), useRun(ids[2]), useRun(ids[3])].slice(0, ids.length);
  const first = runs[0]?.run;
  const { data: compared, error } = useGet(
    first === undefined || ids.length < 2
      ? null
      : '/api/surveys/{surveyId}/simulation/{simulationId}/comparison',
    {
      params: {
        path: { surveyId: first?.surveyId ?? 0, simulationId: ids[0] ?? '' },
        query: { others: ids.slice(1).join(',') },
      },
    },
  );
  const failed = error !== undefined || runs.some(({ failed }) => failed);
  const ready = compared !== undefined && runs.every(({ run }) => run !== undefined);

  return (
    <Page title="Compare simulations" subtitle="The same questions, answered in different runs">
      <Panel>
        <label htmlFor="compared-runs">Simulations to compare, the first one as the reference</label>
        <Select
          id="compared-runs"
          className="compare-runs"
          mode="multiple"
          maxCount={LETTERS.length}
          value={ids}
          onChange={choose}
          placeholder="Choose two to four simulations"
          optionFilterProp="label"
          options={optionsOf(offered ?? [], runs)}
        />
        <ul className="stack gap-2 list long-word">
          {runs.map(({ run }, place) =>
            run === undefined ? null : (
              <li key={run.simulationId}>
                <Tag color="processing">{LETTERS[place]}</Tag>{' '}
                <Link to={paths.responses(run.surveyId, run.simulationId)}>{nameOf(run)}</Link>
              </li>
            ),
          )}
        </ul>
      </Panel>
      {failed && <Alert type="error" title="Failed to load simulation responses" />}
      {ids.length < 2 && (
        <EmptyState title="Nothing to compare yet">
          Choose two simulations, of one survey or of two: questions are matched by their text and options.
        </EmptyState>
      )}
      {ids.length >= 2 && !failed && !ready && <Loading />}
      {ids.length >= 2 && ready && <Comparison compared={compared} models={models(runs)} />}
    </Page>
  );
}

/** `Pilot · Commuting · 100 twins · gpt-4.1-mini · Nov 24, 2026, 23:58`. */
const nameOf = (run: Named) =>
  [
    ...(run.name == null ? [] : [run.name]),
    run.surveyTitle,
    `${count(run.personaCount)} twins`,
    modelName(run.demoModel, run.parameters.model),
    dateAndTime(run.created_at),
  ].join(' · ');

/** The part of a run that tells it from others. */
type Named = Pick<
  Simulation,
  'simulationId' | 'name' | 'surveyTitle' | 'personaCount' | 'demoModel' | 'parameters' | 'created_at'
>;

/** The runs that can be compared, and those that are compared already, whatever their age and owner. Ids set equal names apart. */
function optionsOf(offered: readonly Simulation[], chosen: readonly { run: Named | undefined }[]) {
  const known = new Map<string, Named>();
  for (const { run } of chosen) if (run !== undefined) known.set(run.simulationId, run);
  for (const run of offered) {
    if (hasResults(run.status) && run.successfulRequests > 0) known.set(run.simulationId, run);
  }
  const names = [...known.values()].map(nameOf);
  return [...known.values()].map((run) => {
    const name = nameOf(run);
    const alike = names.filter((other) => other === name).length > 1;
    return { value: run.simulationId, label: alike ? `${name} · ${shortId(run.simulationId)}` : name };
  });
}

const models = (runs: readonly { run: Simulation | undefined }[]) => [
  ...new Set(runs.map(({ run }) => modelName(run?.demoModel !== false, run?.parameters.model ?? ''))),
];

function useRun(id: string | undefined) {
  const { data: run, error } = useGet(id === undefined ? null : '/api/simulations/{simulationId}', {
    params: { path: { simulationId: id ?? '' } },
  });
  return { run, failed: error !== undefined };
}

function Comparison({
  compared: { simulationIds, questions, rule },
  models,
}: {
  compared: Compared;
  models: readonly string[];
}) {
  const [width, measure] = useWidth();
  const names = LETTERS.slice(0, simulationIds.length);
  const split = { name: 'run', questionId: null, exclusive: true, colors: groupColors(names) };
  const tests = questions.flatMap(findingsOf);
  if (questions.length === 0)
    return (
      <EmptyState title="No question in common">
        Questions are compared where their type and options are the same and their texts are alike.
      </EmptyState>
    );
  const setting: ChartContext = {
    // Questions in free words are not compared.
    texts: { surveyId: 0, simulationId: '' },
    split,
    query: {},
    sort: 'asked',
    rule,
    width: width - 2 * PADDING - 2,
    moving: false,
    partial: false,
    source: `Digital Twin Lab · ${models.join(', ')}`,
  };
  return (
    <>
      <Panel title="What differs most">
        <DifferenceTable rows={differencesOf(questions, names)} names={names} tests={tests.length} />
        <p className="muted">
          Differences are from {names[0]}, with 95 % CI (Newcombe for shares, Welch for means). Distance is
          the total variation of the two distributions, 0 to 1. {correctionWords(tests)}.{' '}
          {rule.byPlan && rule.words} The runs are taken as different people: where they asked the same twins,
          intervals are wider and p larger than need be. <FigureHelp about="intervals" />
        </p>
      </Panel>
      <Rewordings questions={questions} />
      <div className="charts stack" ref={measure} style={{ '--chart-padding': `${PADDING}px` }}>
        {width > 0 &&
          questions.map((question) => (
            <ChartCard key={question.questionId} question={question} setting={setting} />
          ))}
      </div>
    </>
  );
}

const normalised = (text: string) => text.toLowerCase().trim().replaceAll(/\s+/g, ' ');

/** Questions whose words changed. */
function Rewordings({ questions }: { questions: readonly QuestionInSimulations[] }) {
  const reworded = questions.flatMap(({ asked: [first, ...others] }) =>
    first === undefined
      ? []
      : others
          .filter(({ text }) => normalised(text) !== normalised(first.text))
          .map((other) => ({ first, other })),
  );
  if (reworded.length === 0) return null;
  return (
    <Panel title="In other words">
      {reworded.map(({ first, other }) => (
        <div key={`${first.questionId} ${other.run}`}>
          <h3>
            Q{first.order}. in {first.run}, Q{other.order}. in {other.run}
          </h3>
          <Wording before={plainText(first.text)} after={plainText(other.text)} />
        </div>
      ))}
    </Panel>
  );
}
