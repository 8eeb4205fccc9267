import { useState } from 'react';
import { Alert, App, Button } from 'antd';
import { useParams } from 'react-router';
import { api } from '@/api/client';
import { useAll, useGet } from '@/api/hooks';
import { isPartial } from '@/api/runs';
import { NothingToExport, saveWorkbook } from '@/api/saveFile';
import type { Question, Simulation } from '@/api/types';
import { count, dateAndTime } from '@/ui/format';
import { EmptyState, Loading, Page, Panel } from '@/ui/Page';
import { ResponseTabs, SampleTabs } from './ResponseTabs';
import './results.css';

const EXPORT = '/api/surveys/{surveyId}/simulation/{simulationId}/responses/export.xlsx';
const none: Question[] = [];

/** The answers of one run: as a matrix, as a list, with the questions, and as charts. */
export default function Responses() {
  const params = useParams();
  const surveyId = Number(params.surveyId);
  const simulationId = params.simulationId ?? '';
  const survey = useGet('/api/surveys/{surveyId}', { params: { path: { surveyId } } });
  const questions = useGet('/api/surveys/{surveyId}/questions', { params: { path: { surveyId } } });
  const history = useAll('/api/surveys/{surveyId}/simulation-history', { params: { path: { surveyId } } });

  const run = history.data?.find((each) => each.simulationId === simulationId);
  const asked = questions.data ?? none;
  const loading = survey.isLoading || questions.isLoading || history.isLoading;
  const failed = questions.error !== undefined || run === undefined;
  const answered = run !== undefined && run.successfulRequests > 0;

  return (
    <Page
      title="Simulation Responses"
      // Takes its line before it is known, so that nothing moves then.
      subtitle={survey.data?.title ?? '\u00a0'}
      wide
      actions={<DownloadButton surveyId={surveyId} simulationId={simulationId} disabled={!answered} />}
    >
      {loading && <Loading text="Loading responses..." />}
      {!loading && run !== undefined && (
        <>
          <Notices run={run} sample={!answered && asked.length > 0} />
          <Summary title={survey.data?.title ?? '–'} run={run} questions={asked.length} />
        </>
      )}
      {!loading && (
        <Panel>
          {failed && <Alert type="error" title="Failed to load simulation responses" />}
          {!failed && answered && <ResponseTabs run={{ surveyId, simulationId }} questions={asked} />}
          {!failed && !answered && asked.length > 0 && <SampleTabs questions={asked} />}
          {!failed && !answered && asked.length === 0 && <EmptyState title="No Responses Found" />}
        </Panel>
      )}
    </Page>
  );
}

/** Saves the run's workbook. */
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
  const [downloading, setDownloading] = useState(false);
  const download = async () => {
    setDownloading(true);
    try {
      const params = { path: { surveyId, simulationId } };
      saveWorkbook(await api.get(EXPORT, { params, parseAs: 'blob' }), simulationId);
      void message.success('Complete Excel file downloaded successfully!');
    } catch (error) {
      void message.error(error instanceof NothingToExport ? error.message : 'Failed to download Excel file');
    } finally {
      setDownloading(false);
    }
  };
  return (
    <Button
      type="primary"
      loading={downloading}
      disabled={disabled || downloading}
      onClick={() => void download()}
    >
      {downloading ? 'Downloading...' : 'Download Excel'}
    </Button>
  );
}

/** What readers of the answers must know. */
function Notices({ run, sample }: { run: Simulation; sample: boolean }) {
  return (
    <>
      {run.demoModel && <Alert type="info" role="status" title="Demo model: not from a language model." />}
      {isPartial(run.status) && (
        <Alert
          type="warning"
          role="status"
          title="Partial: This run is not complete: these are its answers so far."
        />
      )}
      {run.failedRequests > 0 && run.errorMessage && (
        <Alert type="warning" role="status" title={run.errorMessage} />
      )}
      {sample && (
        <Alert
          type="warning"
          role="status"
          title="No real responses exist for this run. What you see is invented sample data, made from the survey’s questions."
        />
      )}
    </>
  );
}

/** The run in five figures; unknown counts are taken as 1. */
function Summary({ title, run, questions }: { title: string; run: Simulation; questions: number }) {
  return (
    <dl className="run-summary">
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
        <dd>{count(run.successfulRequests)} credits</dd>
      </div>
      <div>
        <dt>Date completed</dt>
        <dd>{run.completedAt ? dateAndTime(run.completedAt) : '–'}</dd>
      </div>
    </dl>
  );
}
