import { useEffect, useRef, useState } from 'react';
import { Alert, App, Button, Collapse, Select, Tag } from 'antd';
import { api, failed } from '@/api/client';
import { useGet } from '@/api/hooks';
import { isMoving } from '@/api/runs';
import { saveFile } from '@/api/saveFile';
import type { components } from '@/api/schema';
import { DataTable, type Column } from '@/ui/DataTable';
import { count } from '@/ui/format';
import { EmptyState, Loading, Panel } from '@/ui/Page';
import { FigureHelp } from '../help/FigureHelp';
import { questionColumn } from '../results/evidence/questionColumn';
import { Dots } from '../results/evidence/Dots';
import { EvidenceChart } from '../results/evidence/EvidenceChart';
import { intervalText, signed } from '../results/people/figures';
import { cellName, type Study } from './cells';

type Schemas = components['schemas'];
type Compared = Schemas['RunsCompared'];
type Run = Schemas['RunBesideReference'];
type Question = Schemas['QuestionInRuns'];
type Repeated = Schemas['QuestionRepeats'];
type Figure = Schemas['Figure'];

/** The runs of a study beside one of them: over all questions, question by question, and how stable repeats are. */
export function RunsCompared({ study }: { study: Study }) {
  const { runs, studyId } = study;
  const [reference, setReference] = useState(runs[0]?.simulationId ?? '');
  const [chosen, setChosen] = useState<string | null>(null);
  const { data, error, isValidating, mutate } = useGet(
    '/api/studies/{studyId}/comparison',
    { params: { path: { studyId }, query: { reference } } },
    { revalidateOnFocus: false, keepPreviousData: true },
  );
  const moving = runs.some(({ status }) => isMoving(status));
  // What was counted while answers came in lacks some of them.
  const counted = useRef(moving);
  useEffect(() => {
    if (counted.current && !moving) void mutate();
    counted.current = moving;
  }, [moving, mutate]);
  const names = new Map(runs.map((run) => [run.simulationId, cellName(run, runs)]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const shown = data?.runs.find(({ simulationId }) => simulationId === chosen) ?? data?.runs[0];
  const options = (ids: readonly string[]) => ids.map((value) => ({ value, label: nameOf(value) }));
  return (
    <Panel
      title="The same twins, asked otherwise"
      extra={
        <>
          {moving && (
            <Button size="small" loading={isValidating} onClick={() => void mutate()}>
              Count again
            </Button>
          )}
          {data !== undefined && <SaveTable studyId={studyId} reference={reference} />}
        </>
      }
    >
      <label htmlFor="study-reference" className="study-label">
        Compared with
      </label>
      <Select
        id="study-reference"
        className="study-choice"
        value={reference}
        options={options(runs.map(({ simulationId }) => simulationId))}
        onChange={setReference}
      />
      {error !== undefined && <Alert type="error" title={failed('Failed to compare', error)} />}
      {data === undefined && error === undefined && <Loading text="Counting..." />}
      {data !== undefined && (
        <div className="study-figures">
          <p className="muted">{words(data)}</p>
          <DataTable rows={data.runs} rowKey="simulationId" columns={ofRuns(nameOf)} name="runs" size={60} />
          <AgreementChart of={data} nameOf={nameOf} />
          {shown !== undefined && (
            <>
              <h3>Question by question</h3>
              {data.runs.length > 1 && (
                <>
                  <label htmlFor="study-run" className="study-label">
                    Run
                  </label>
                  <Select
                    id="study-run"
                    className="study-choice"
                    value={shown.simulationId}
                    options={options(data.runs.map(({ simulationId }) => simulationId))}
                    onChange={setChosen}
                  />
                </>
              )}
              {shown.questions.length === 0 ? (
                <EmptyState title="Nothing to compare yet">
                  Choices and numbers are compared, once the same twin has answered in both runs.
                </EmptyState>
              ) : (
                <DataTable
                  rows={shown.questions}
                  rowKey="name"
                  columns={
                    // Only where a frozen plan says it.
                    ofQuestions.filter(({ key }) => key !== 'analysis' || study.plan?.frozenAt != null)
                  }
                  name="questions"
                  size={50}
                />
              )}
            </>
          )}
          <Repeats of={data} runs={runs} />
          <Meanings />
        </div>
      )}
    </Panel>
  );
}

/** Saves all figures as CSV. */
function SaveTable({ studyId, reference }: { studyId: string; reference: string }) {
  const { message } = App.useApp();
  const save = async () => {
    try {
      const params = { path: { studyId }, query: { reference } };
      const file = await api.get('/api/studies/{studyId}/comparison.csv', { params, parseAs: 'blob' });
      saveFile(file, `study-${studyId.slice(-8)}-comparison.csv`);
    } catch (failure) {
      void message.error(failed('Failed to download the table', failure));
    }
  };
  return (
    <Button size="small" onClick={() => void save()}>
      CSV
    </Button>
  );
}

const words = ({ level, draws }: Compared) =>
  `Every figure is of the same twins in both runs. Intervals cover ${Math.round(level * 100)} % (bootstrap over twins, ${count(draws)} draws).`;

/** A figure with its interval below it. */
function Figured({ figure }: { figure: Figure | null | undefined }) {
  if (figure == null) return <>–</>;
  return (
    <div>
      {figure.value.toFixed(2)}
      <div className="muted">{intervalText(figure)}</div>
    </div>
  );
}

const ofRuns = (nameOf: (id: string) => string): Column<Run>[] => [
  { title: 'Run', key: 'run', untitled: true, render: (_, { simulationId }) => nameOf(simulationId) },
  { title: 'Twins in both', key: 'twins', align: 'right', render: (_, { twins }) => count(twins) },
  {
    title: 'Agreement',
    key: 'agreement',
    align: 'right',
    render: (_, { agreement }) => <Figured figure={agreement} />,
  },
  { title: 'Mean r', key: 'r', align: 'right', render: (_, { r }) => <Figured figure={r} /> },
];

const metric = (title: string, name: string): Column<Question> => ({
  title,
  key: name,
  align: 'right',
  render: (_, { metrics }) => <Figured figure={metrics.find((each) => each.metric === name)} />,
});

const mean = (value: number | null | undefined) => value?.toFixed(2) ?? '–';

const ofQuestions: Column<Question>[] = [
  questionColumn('26%'),
  {
    title: 'Analysis',
    key: 'analysis',
    render: (_, { analysis }) =>
      analysis === 'preregistered' ? <Tag color="processing">Preregistered</Tag> : <Tag>Exploratory</Tag>,
  },
  { title: 'Twins', key: 'twins', align: 'right', render: (_, { twins }) => count(twins) },
  { title: 'Mean, reference', key: 'reference', align: 'right', render: (_, of) => mean(of.meanReference) },
  { title: 'Mean, run', key: 'mean', align: 'right', render: (_, of) => mean(of.meanRun) },
  {
    title: 'Difference',
    key: 'difference',
    align: 'right',
    render: (_, { difference, low, high, options }) =>
      difference == null ? (
        <Shares of={options} />
      ) : (
        <div>
          {signed(difference)}
          {low != null && high != null && (
            <div className="muted">
              [{signed(low)}, {signed(high)}]
            </div>
          )}
        </div>
      ),
  },
  { title: 'q', key: 'q', align: 'right', render: (_, { q }) => (q == null ? '–' : q.toFixed(3)) },
  metric('Same answer', 'exact'),
  metric('TVD', 'TVD'),
];

/** How far the shares of options moved, the farthest first. */
function Shares({ of }: { of: Question['options'] }) {
  const moved = [...of].sort((a, b) => Math.abs(b.difference.value) - Math.abs(a.difference.value))[0];
  if (moved === undefined) return <>–</>;
  if (moved.difference.value === 0) return <>none</>;
  return (
    <>
      {signed(100 * moved.difference.value)} points for “{moved.label}”
    </>
  );
}

const ofRepeats: Column<Repeated>[] = [
  questionColumn('40%'),
  { title: 'Twins', key: 'twins', align: 'right', render: (_, { twins }) => count(twins) },
  {
    title: 'Same answer again',
    key: 'identical',
    align: 'right',
    render: (_, { identical }) => `${(100 * identical).toFixed(0)} %`,
  },
  { title: 'ICC(1)', key: 'icc', align: 'right', render: (_, { icc }) => mean(icc) },
  {
    title: 'Repeats for .9',
    key: 'for90',
    align: 'right',
    render: (_, { repeatsFor90 }) => repeatsFor90 ?? '–',
  },
];

/** How far the runs agree with the reference. */
function AgreementChart({ of, nameOf }: { of: Compared; nameOf: (id: string) => string }) {
  const dots = of.runs.flatMap(({ simulationId, agreement }) => {
    if (agreement == null) return [];
    const { value, low = null, high = null } = agreement;
    return [{ name: nameOf(simulationId), value, low, high }];
  });
  if (dots.length === 0) return null;
  return (
    <EvidenceChart
      title={`Agreement with ${nameOf(of.reference)}`}
      meta="1: every twin answers the same in both runs; 95 % CI"
      lines={[
        ['run', 'agreement', 'low', 'high'],
        ...dots.map(({ name, value, low, high }) => [name, value, low, high]),
      ]}
    >
      {(width) => <Dots dots={dots} ends={[0, 1]} width={width} label="Agreement" />}
    </EvidenceChart>
  );
}

/** How alike the answers are where everything is asked again. */
function Repeats({ of, runs }: { of: Compared; runs: Study['runs'] }) {
  return of.repeats.map(({ simulationIds, questions }) => {
    const first = runs.find(({ simulationId }) => simulationId === simulationIds[0]);
    return questions.length === 0 || first === undefined ? null : (
      <div key={first.simulationId}>
        <h3>
          Asked {count(simulationIds.length)} times: {cellName(first, runs, false)}
        </h3>
        <DataTable rows={questions} rowKey="name" columns={ofRepeats} name="questions" size={50} />
      </div>
    );
  });
}

const meanings: [name: string, meaning: string][] = [
  [
    'Agreement',
    '1: every twin answers the same in both runs. Less by the distance of its answers on the scale.',
  ],
  ['Mean r', 'Whether the same twins answer high in both runs, question by question.'],
  ['Same answer', 'Share of twins with exactly the same answer in both.'],
  ['TVD', 'The part of the answers that would have to change for the two distributions to be equal.'],
  ['q', 'How often a difference like this comes by chance, counted over all questions of the table.'],
  ['ICC(1)', 'The part of the variance that is between twins. The rest is chance of the model.'],
  ['Repeats for .9', 'So many repeats, averaged, would have an ICC of .9.'],
];

function Meanings() {
  return (
    <Collapse
      size="small"
      items={[
        {
          key: 'figures',
          label: 'What the figures mean',
          children: (
            <>
              <dl className="study-meanings">
                {meanings.map(([name, meaning]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>{meaning}</dd>
                  </div>
                ))}
              </dl>
              <FigureHelp about="runs-of-a-study">Formulas, sources and limits</FigureHelp>
            </>
          ),
        },
      ]}
    />
  );
}
