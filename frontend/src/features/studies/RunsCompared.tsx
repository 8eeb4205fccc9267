import { useEffect, useRef, useState } from 'react';
import { Alert, App, Button } from 'antd';
import { api, failed } from '@/api/client';
import { useGet } from '@/api/hooks';
import { isMoving } from '@/api/runs';
import { saveFile } from '@/api/saveFile';
import type { components } from '@/api/schema';
import { Dots } from '@/charts/evidence/Dots';
import { EvidenceChart } from '@/charts/evidence/EvidenceChart';
import { cellName, type Study } from '@/runs/start/cells';
import { DataTable } from '@/ui/DataTable';
import { count } from '@/ui/format';
import { EmptyState, Loading, Panel } from '@/ui/Page';
import { ofQuestions, ofRepeats, ofRuns } from './comparedColumns';
import { ComparedMeanings } from './ComparedMeanings';
import { RunChoice } from './RunChoice';

type Compared = components['schemas']['RunsCompared'];

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
  return (
    <Panel
      title="The same twins in the other runs"
      extra={
        <>
          {moving && (
            <Button size="small" loading={isValidating} onClick={() => void mutate()}>
              Recalculate
            </Button>
          )}
          {data !== undefined && <SaveTable studyId={studyId} reference={reference} />}
        </>
      }
    >
      <RunChoice
        id="study-reference"
        label="Compared with"
        value={reference}
        runs={runs}
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
              <p className="muted">{data.rule.words}</p>
              {data.runs.length > 1 && (
                <RunChoice
                  id="study-run"
                  label="Run"
                  value={shown.simulationId}
                  among={data.runs.map(({ simulationId }) => simulationId)}
                  runs={runs}
                  onChange={setChosen}
                />
              )}
              {shown.questions.length === 0 ? (
                <EmptyState title="Nothing to compare yet">
                  Choices and numbers are compared, once the same twin has answered in both runs.
                </EmptyState>
              ) : (
                <DataTable
                  rows={shown.questions}
                  rowKey="name"
                  columns={ofQuestions(data.rule.byPlan)}
                  name="questions"
                  size={50}
                />
              )}
            </>
          )}
          <Repeats of={data} runs={runs} />
          <ComparedMeanings />
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
      about="runs-of-a-study"
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
