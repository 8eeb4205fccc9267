import { lazy, Suspense } from 'react';
import { Alert, Progress, Tag } from 'antd';
import { Link, useParams } from 'react-router';
import { failed } from '@/api/client';
import { useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { isMoving, percentOf } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { StudyPlanPanel } from '@/features/plans/StudyPlanPanel';
import { RunsCompared } from '@/features/studies/RunsCompared';
import { StudyButtons } from '@/features/studies/StudyButtons';
import { StudyValidation } from '@/features/validation/StudyValidation';
import { paths } from '@/paths';
import { answeredWords, displayOf, labels } from '@/runs/display';
import { cellName, type Study } from '@/runs/start/cells';
import { DataTable, type Column } from '@/ui/DataTable';
import { count, dateAndTime } from '@/ui/format';
import { LinkButton, Loading, NotHere, Page, Panel } from '@/ui/Page';
import { StudyBundle } from './StudyBundle';
import '@/features/studies/studies.css';

/** A chunk of its own. */
const StudyPeople = lazy(() => import('./StudyPeople'));

const POLL_MS = 1000;

/** A study: its progress, its runs, and what they make of the same questions. */
export default function StudyPage() {
  const { studyId = '' } = useParams();
  const {
    data: study,
    error,
    mutate,
  } = useGet(
    '/api/studies/{studyId}',
    { params: { path: { studyId } } },
    polling(POLL_MS, (latest) => latest?.runs.some(({ status }) => isMoving(status)) ?? false),
  );
  if (error?.status === 404)
    return (
      <NotHere
        title="Study"
        back={<LinkButton to={paths.simulationHistory}>Back to Simulation History</LinkButton>}
      >
        There is no such study, or you cannot see it.
      </NotHere>
    );
  if (study === undefined)
    return (
      <Page title="Study">
        {error === undefined ? (
          <Loading />
        ) : (
          <Alert type="error" title={failed('Failed to load study', error)} />
        )}
      </Page>
    );
  const { runs, note, isValidation, plan } = study;
  const hidden = plan?.hidden === true;
  const title = study.name ?? study.surveyTitle ?? 'Study';
  return (
    <Page
      title={title}
      subtitle={`Study: ${count(runs.length)} ${runs.length === 1 ? 'run' : 'runs'} over ${count(runs[0]?.personaCount ?? 0)} digital twins, started ${dateAndTime(study.created_at)}`}
      trail={[
        { label: 'Simulation History', to: paths.simulationHistory },
        study.surveyId == null
          ? null
          : { label: study.surveyTitle ?? 'Survey', to: paths.runsOf(study.surveyId) },
        { label: study.name ?? 'Study' },
      ]}
      actions={
        <>
          <StudyButtons study={study} onChange={mutate} />
          {!hidden && <StudyBundle study={study} />}
        </>
      }
    >
      <Panel title="Progress">
        {note != null && <p className="muted">{note}</p>}
        <Together study={study} />
        {!isValidation && <Runs runs={runs} />}
      </Panel>
      <StudyPlanPanel study={study} />
      {isValidation && (
        <>
          {!hidden && <StudyValidation studyId={studyId} />}
          <Panel title="Runs">
            <Runs runs={runs} />
          </Panel>
        </>
      )}
      {!hidden && runs.some(({ successfulRequests }) => successfulRequests > 0) && (
        <>
          {runs.length > 1 && <RunsCompared study={study} />}
          {!isValidation && (
            <Panel title="Twins beside people">
              <Suspense fallback={<Loading />}>
                <StudyPeople study={study} />
              </Suspense>
            </Panel>
          )}
        </>
      )}
    </Page>
  );
}

/** All runs in one bar. */
function Together({ study }: { study: Study }) {
  const { text, color } = labels[displayOf(study.status)];
  return (
    <div className="study-together">
      <Tag color={color}>{text}</Tag>
      <Progress
        percent={percentOf(study)}
        success={{ percent: percentOf(study, study.successfulRequests), strokeColor: 'var(--brand)' }}
        strokeColor="var(--bad)"
        status="normal"
        showInfo={false}
        aria-label="Progress of all runs"
      />
      <p role="status">{answeredWords(study)}</p>
    </div>
  );
}

function Runs({ runs }: { runs: readonly Simulation[] }) {
  const columns: Column<Simulation>[] = [
    {
      title: 'Run',
      key: 'run',
      untitled: true,
      render: (_, run) => (
        <Link to={paths.responses(run.surveyId, run.simulationId)}>{cellName(run, runs)}</Link>
      ),
    },
    {
      title: 'Status',
      key: 'status',
      render: (_, { status }) => {
        const { text, color } = labels[displayOf(status)];
        return <Tag color={color}>{text}</Tag>;
      },
    },
    { title: 'Answers', key: 'answers', align: 'right', render: (_, run) => answeredWords(run) },
  ];
  return <DataTable rows={runs} rowKey="simulationId" columns={columns} name="runs" size={60} />;
}
