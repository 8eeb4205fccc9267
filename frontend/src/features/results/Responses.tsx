import { useState } from 'react';
import { useParams } from 'react-router';
import { send } from '@/api/client';
import { useAll, useGet } from '@/api/hooks';
import { isPartial } from '@/api/runs';
import type { Question, Simulation } from '@/api/types';
import { Badge } from '@/ui/Badge';
import { Banner } from '@/ui/Banner';
import { Button } from '@/ui/Button';
import { Loading } from '@/ui/Loading';
import { EmptyState, Page, Panel } from '@/ui/Page';
import { NothingToExport, saveWorkbook } from '@/ui/saveFile';
import { toast } from '@/ui/toasts';
import { ResponseTabs } from './ResponseTabs';
import { RunSummary } from './RunSummary';
import { SampleTabs } from './SampleTabs';
import './results.css';

const EXPORT = '/api/surveys/{surveyId}/simulation/{simulationId}/responses/export';
const none: Question[] = [];

/** The answers of one run: as a matrix, as a list, with the questions, and as charts. */
export default function Responses() {
  const { surveyId: inAddress, simulationId = '' } = useParams();
  const surveyId = Number(inAddress);
  const survey = useGet('/api/surveys/{surveyId}', { path: { surveyId } });
  const questions = useGet('/api/surveys/{surveyId}/questions', { path: { surveyId } });
  const history = useAll('/api/surveys/{surveyId}/simulation-history', { path: { surveyId } });
  const [downloading, setDownloading] = useState(false);

  const run = history.data?.find((each) => each.simulationId === simulationId);
  const asked = questions.data ?? none;
  const loading = survey.isLoading || questions.isLoading || history.isLoading;
  const failed = !loading && (questions.error !== undefined || run === undefined);
  const answered = run !== undefined && run.successfulRequests > 0;

  const download = async () => {
    setDownloading(true);
    try {
      const file = await send('get', EXPORT, { path: { surveyId, simulationId }, query: { format: 'xlsx' } });
      saveWorkbook(await file.blob(), simulationId);
      toast('success', 'Complete Excel file downloaded successfully!');
    } catch (error) {
      toast('error', error instanceof NothingToExport ? error.message : 'Failed to download Excel file');
    } finally {
      setDownloading(false);
    }
  };
  return (
    <Page
      title="Simulation Responses"
      // A line of its own also before it is known, so that nothing jumps.
      subtitle={survey.data?.title ?? '\u00a0'}
      wide
      actions={
        <Button
          disabled={!answered}
          loading={downloading}
          loadingText="Downloading..."
          onClick={() => void download()}
        >
          Download Excel
        </Button>
      }
    >
      {loading ? (
        <Loading text="Loading responses..." />
      ) : (
        <>
          {run !== undefined && (
            <>
              <Notices run={run} invented={!answered && asked.length > 0} />
              <RunSummary title={survey.data?.title} run={run} questions={asked.length} />
            </>
          )}
          <Panel>
            {failed && <Banner type="error">Failed to load simulation responses</Banner>}
            {!failed && answered && <ResponseTabs run={{ surveyId, simulationId }} questions={asked} />}
            {!failed && !answered && asked.length > 0 && <SampleTabs questions={asked} />}
            {!failed && !answered && asked.length === 0 && <EmptyState title="No Responses Found" />}
          </Panel>
        </>
      )}
    </Page>
  );
}

/** What nobody may read the answers without knowing. */
function Notices({ run, invented }: { run: Simulation; invented: boolean }) {
  return (
    <>
      {run.demoModel && <Banner type="info">Demo model: not from a language model.</Banner>}
      {isPartial(run.status) && (
        <Banner type="warning">
          <Badge tone="warn">Partial</Badge> This run is not complete: these are its answers so far.
        </Banner>
      )}
      {run.failedRequests > 0 && run.errorMessage && <Banner type="warning">{run.errorMessage}</Banner>}
      {invented && (
        <Banner type="warning">
          No real responses exist for this run. What you see is invented sample data, made from the survey’s
          questions.
        </Banner>
      )}
    </>
  );
}
