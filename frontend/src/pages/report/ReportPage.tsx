import { Alert, Button } from 'antd';
import { useParams } from 'react-router';
import { failed, isMissing } from '@/api/client';
import { useGet } from '@/api/hooks';
import { LIVE_MS } from '@/api/live';
import { polling } from '@/api/polling';
import { isMoving } from '@/api/runs';
import type { Question } from '@/api/types';
import { clauseName, namesOf, useResultFilter } from '@/charts/filter';
import { splitOf } from '@/charts/split';
import Charts from '@/features/results/Charts';
import { citationOf, methodOf } from '@/features/results/run/methodText';
import { Notices } from '@/features/results/run/Notices';
import { Provenance } from '@/features/results/run/Provenance';
import { paths } from '@/paths';
import { shortId } from '@/runs/display';
import type { Facts } from '@/runs/useFacts';
import { CopyButton } from '@/ui/Copy';
import { dateAndTime, sentence } from '@/ui/format';
import { LinkButton, Loading, NotHere, Page, type Trail } from '@/ui/Page';
import '@/features/results/run/run.css';
import './report.css';

/** A run on paper: how it was done, every chart, where it comes from. Split and filters stand in the address. */
export default function ReportPage() {
  const params = useParams();
  const surveyId = Number(params.surveyId);
  const simulationId = params.simulationId ?? '';
  const facts = useGet(
    '/api/simulations/{simulationId}',
    { params: { path: { simulationId } } },
    polling(LIVE_MS, (latest) => latest !== undefined && isMoving(latest.status)),
  );
  const questions = useGet('/api/surveys/{surveyId}/questions', { params: { path: { surveyId } } });
  const error = facts.error ?? questions.error;
  const run = facts.data;
  if (error !== undefined || (run !== undefined && run.surveyId !== surveyId)) {
    return (
      <NotHere
        title={error === undefined || isMissing(error) ? 'Simulation Not Found' : 'Report'}
        back={<LinkButton to={paths.simulationHistory}>Simulation History</LinkButton>}
      >
        {error === undefined || isMissing(error)
          ? 'There is no simulation at this address, or nobody has shared its survey with you.'
          : failed('Failed to load simulation responses', error)}
      </NotHere>
    );
  }
  if (run === undefined || questions.data === undefined) return <Loading />;
  return <Report run={run} questions={questions.data} />;
}

function Report({ run, questions }: { run: Facts; questions: readonly Question[] }) {
  const { surveyId, simulationId } = run;
  const name = run.name ?? run.surveyTitle;
  const trail: Trail = [
    { label: 'Simulation History', to: paths.simulationHistory },
    { label: run.name ?? `Run ${shortId(simulationId)}`, to: paths.responses(surveyId, simulationId) },
    { label: 'Report' },
  ];
  return (
    <div className="report">
      <Page
        title={name}
        subtitle={`${run.name == null ? '' : `${run.surveyTitle} · `}Report of simulation ${shortId(simulationId)}, ${dateAndTime(run.completedAt ?? run.created_at)}`}
        trail={trail}
        actions={
          <Button type="primary" onClick={() => window.print()}>
            Print or save as PDF
          </Button>
        }
      >
        <Notices run={run} />
        {!run.demoModel && <Alert type="info" title={sentence(run.notice)} />}
        {run.note != null && <p className="run-note">{run.note}</p>}
        <Method run={run} questions={questions} />
        <section aria-labelledby="report-results">
          <h2 id="report-results">Results</h2>
          <Charts run={{ surveyId, simulationId }} printed />
        </section>
        <section aria-labelledby="report-provenance">
          <h2 id="report-provenance">Provenance</h2>
          <Provenance run={run} facts={run} />
          <p className="run-citation long-word">{citationOf(run)}</p>
        </section>
      </Page>
    </div>
  );
}

function Method({ run, questions }: { run: Facts; questions: readonly Question[] }) {
  const { query, where } = useResultFilter();
  const { surveyId, simulationId } = run;
  // What the charts ask for, too.
  const { data: summary } = useGet(
    '/api/surveys/{surveyId}/simulation/{simulationId}/summary',
    { params: { path: { surveyId, simulationId }, query } },
    { keepPreviousData: true, revalidateOnFocus: false },
  );
  const names = namesOf(questions);
  const text = methodOf(run, {
    split: summary === undefined ? null : (splitOf(summary)?.name ?? null),
    narrowed: where.map((clause) => clauseName(clause, names)),
    n: summary?.n ?? run.personaCount,
    rule: summary?.rule ?? null,
  });
  return (
    <section aria-labelledby="report-method">
      <h2 id="report-method">Method</h2>
      <p className="report-method">{text}</p>
      <CopyButton text={text} size="small" className="screen-only" />
    </section>
  );
}
