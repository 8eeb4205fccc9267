import { useCallback, useMemo, type ReactNode } from 'react';
import { Alert, App, Button } from 'antd';
import { useParams } from 'react-router';
import { api, failed, isMissing } from '@/api/client';
import { refresh, useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { isActive, isMoving, percentOf, type Counts } from '@/api/runs';
import { saveWorkbook } from '@/api/saveFile';
import { useSession } from '@/api/session';
import type { Question, Simulation } from '@/api/types';
import { useResultFilter } from '@/charts/filter';
import { HiddenResults } from '@/features/plans/StudyPlanPanel';
import { DownloadMenu } from '@/features/results/DownloadMenu';
import { Notices } from '@/features/results/run/Notices';
import { RunButtons } from '@/features/results/run/RunButtons';
import { RunName } from '@/features/results/run/RunName';
import { RunPanel } from '@/features/results/run/RunPanel';
import { paths } from '@/paths';
import { isAsked } from '@/question-types/questionTypes';
import { shortId } from '@/runs/display';
import { useLiveProgress } from '@/runs/useLiveProgress';
import { count, dateAndTime } from '@/ui/format';
import { EmptyState, LinkButton, Loading, NotHere, Page, Panel } from '@/ui/Page';
import { useDownload } from '@/ui/useDownload';
import { useTitle } from '@/ui/titleAndAddress';
import { ResponseTabs, SampleTabs } from './ResponseTabs';
import '@/features/results/results.css';
import '@/features/results/run/run.css';

const EXPORT = '/api/surveys/{surveyId}/simulation/{simulationId}/responses/export.xlsx';
const none: Question[] = [];
/** How often the page asks for the run. */
const RUN_MS = 2000;

/** The page of one run, from its first second: how far it is, what can be done with it, and its answers. */
export default function Responses() {
  const params = useParams();
  const surveyId = Number(params.surveyId);
  const simulationId = params.simulationId ?? '';
  const survey = useGet('/api/surveys/{surveyId}', { params: { path: { surveyId } } });
  const questions = useGet('/api/surveys/{surveyId}/questions', { params: { path: { surveyId } } });
  const facts = useGet(
    '/api/simulations/{simulationId}',
    { params: { path: { simulationId } } },
    polling(RUN_MS, (latest) => latest !== undefined && isMoving(latest.status)),
  );
  const run = facts.data?.surveyId === surveyId ? facts.data : undefined;
  // Whether a plan of its study hides the results.
  const study = useGet(run?.studyId == null ? null : '/api/studies/{studyId}', {
    params: { path: { studyId: run?.studyId ?? '' } },
  });
  const plan = study.data?.plan;
  const hidden = plan?.hidden === true;
  const moving = run !== undefined && isMoving(run.status);
  const asked = useMemo(
    () => questions.data?.filter(({ questionType }) => isAsked(questionType)) ?? none,
    [questions.data],
  );
  const loading = survey.isLoading || questions.isLoading || facts.isLoading || study.isLoading;
  const notLoaded = questions.error !== undefined || run === undefined;
  const answered = run !== undefined && run.successfulRequests > 0 && !hidden;

  const user = useSession();
  const missing =
    isMissing(survey.error) || isMissing(facts.error) || (facts.data !== undefined && run === undefined);
  if (!loading && missing) {
    return (
      <NotHere
        title="Simulation Not Found"
        back={<LinkButton to={paths.simulationHistory}>Simulation History</LinkButton>}
      >
        There is no simulation at this address, or nobody has shared its survey with you.
      </NotHere>
    );
  }
  return (
    <Page
      trail={[
        user?.role === 'super_admin'
          ? { label: 'Simulation History', to: paths.simulationHistory }
          : { label: 'Surveys', to: paths.surveyBuilder },
        survey.data === undefined
          ? null
          : {
              label: survey.data.title,
              ...(user?.role !== 'super_admin' && { to: paths.survey(surveyId) }),
            },
        { label: run?.name ?? `Run ${shortId(simulationId)}` },
      ]}
      title="Simulation Responses"
      // Takes its line before it is known, so that nothing moves then.
      subtitle={
        run === undefined ? (
          (survey.data?.title ?? '\u00a0')
        ) : (
          <RunName run={run} onChange={() => void facts.mutate()} />
        )
      }
      actions={
        <>
          <DownloadButton surveyId={surveyId} simulationId={simulationId} disabled={!answered} />
          <DownloadMenu surveyId={surveyId} simulationId={simulationId} disabled={!answered} />
        </>
      }
    >
      {loading && <Loading text="Loading responses..." />}
      {!loading && run !== undefined && (
        <>
          <Notices run={run} sample={!hidden && !answered && !moving && asked.length > 0} />
          <Progressing run={run} hidden={hidden} onChange={() => void facts.mutate()}>
            {(counts) => (
              <Summary title={survey.data?.title ?? '–'} run={run} counts={counts} questions={asked.length} />
            )}
          </Progressing>
        </>
      )}
      {!loading && hidden && (
        <HiddenResults planId={plan?.planId ?? ''} isOwner={survey.data?.userId === user?.id} />
      )}
      {!loading && !hidden && (
        <Panel>
          {notLoaded && (
            <Alert
              type="error"
              title={failed('Failed to load simulation responses', questions.error ?? facts.error)}
            />
          )}
          {!notLoaded && (answered || moving) && <ResponseTabs run={run} questions={asked} moving={moving} />}
          {!notLoaded && !answered && !moving && asked.length > 0 && <SampleTabs questions={asked} />}
          {!notLoaded && !answered && !moving && asked.length === 0 && (
            <EmptyState title="No Responses Found" />
          )}
        </Panel>
      )}
    </Page>
  );
}

/** How far the run is, looked at as long as it moves. What stands below it shows the same counts. */
function Progressing({
  run,
  hidden,
  onChange,
  children,
}: {
  run: Simulation;
  /** Its results are. */
  hidden: boolean;
  onChange: () => void;
  children: (counts: Counts) => ReactNode;
}) {
  const active = isActive(run.status);
  const changed = useCallback(() => {
    onChange();
    void refresh('/api/simulations/');
  }, [onChange]);
  const live = useLiveProgress(run, changed);
  const counts = (active ? live.progress : undefined) ?? run;
  useTitle('Simulation Responses', active ? `(${Math.floor(percentOf(counts))} %)` : '');
  return (
    <>
      <RunPanel
        run={run}
        live={live}
        actions={<RunButtons run={run} hidden={hidden} onChange={onChange} />}
      />
      {children(counts)}
    </>
  );
}

/** Saves the run's workbook, of the twins that the filter lets through. */
function DownloadButton({
  surveyId,
  simulationId,
  disabled,
}: {
  surveyId: number;
  simulationId: string;
  disabled: boolean;
}) {
  const { message } = App.useApp();
  const { query } = useResultFilter();
  const { isDownloading, download } = useDownload();
  const save = async () => {
    const where = query.where === undefined ? {} : { where: query.where };
    const params = { path: { surveyId, simulationId }, query: where };
    const isSaved = await download(
      async () => saveWorkbook(await api.get(EXPORT, { params, parseAs: 'blob' }), simulationId),
      'Failed to download Excel file',
    );
    if (isSaved) void message.success('Complete Excel file downloaded successfully!');
  };
  return (
    <Button
      type="primary"
      loading={isDownloading}
      disabled={disabled || isDownloading}
      onClick={() => void save()}
    >
      {isDownloading ? 'Downloading...' : 'Download Excel'}
    </Button>
  );
}

/** The run in five figures; unknown counts are taken as 1. */
function Summary({
  title,
  run,
  counts,
  questions,
}: {
  title: string;
  run: Simulation;
  /** The newest known. */
  counts: Counts;
  questions: number;
}) {
  return (
    <dl className="run-summary facts row">
      <div className="run-summary-title">
        <dt>Survey</dt>
        <dd>{title}</dd>
      </div>
      <div>
        <dt>Personas</dt>
        <dd>{count(run.personaCount || 1)}</dd>
      </div>
      <div>
        <dt>Questions</dt>
        <dd>{count(run.totalQuestions || questions || 1)}</dd>
      </div>
      <div>
        <dt>Total cost</dt>
        <dd>{count(counts.successfulRequests)} credits</dd>
      </div>
      <div>
        <dt>Date completed</dt>
        <dd>{run.completedAt ? dateAndTime(run.completedAt) : '–'}</dd>
      </div>
    </dl>
  );
}
