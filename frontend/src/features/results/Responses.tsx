import { useMemo, useState } from 'react';
import { Tabs } from 'antd';
import { useParams } from 'react-router';
import { useGet } from '@/api/hooks';
import { isPartial } from '@/api/runs';
import { send } from '@/api/client';
import type { Question } from '@/api/types';
import { Badge } from '@/ui/Badge';
import { Banner } from '@/ui/Banner';
import { Button } from '@/ui/Button';
import { Loading } from '@/ui/Loading';
import { EmptyState, Page, Panel } from '@/ui/Page';
import { saveFile } from '@/ui/saveFile';
import { toast } from '@/ui/toasts';
import { Charts } from './Charts';
import { ListView } from './ListView';
import { MatrixView } from './MatrixView';
import { QuestionTable } from './QuestionTable';
import { sampleResponses } from './sample';
import { RunSummary } from './RunSummary';
import { useResponses } from './useResponses';
import './results.css';

const none: Question[] = [];
const LIST = '/api/surveys/{id}/simulation/{simId}/responses/export';

/** The answers of one run: as a matrix, as a list, with the questions, and as charts. */
export default function Responses() {
  const { surveyId, simulationId = '' } = useParams();
  const id = Number(surveyId);
  const survey = useGet('/api/surveys/{id}', { path: { id } });
  const questions = useGet('/api/surveys/{id}/questions', { path: { id }, query: { limit: 500 } });
  const history = useGet('/api/surveys/{id}/simulation-history', { path: { id } });
  const { responses, error, loading } = useResponses(id, simulationId);
  const [downloading, setDownloading] = useState(false);

  const run = history.data?.find((each) => each.simulationId === simulationId);
  const asked = questions.data ?? none;
  const invented = !loading && error === undefined && responses.length === 0 && asked.length > 0;
  const title = survey.data?.title ?? '';
  const shown = useMemo(
    () => (invented ? sampleResponses(asked, title) : responses),
    [invented, asked, title, responses],
  );

  const download = async () => {
    setDownloading(true);
    try {
      const path = { id, simId: simulationId };
      const file = await send('get', LIST, { path, query: { format: 'xlsx' } });
      saveFile(await file.blob(), `simulation-${simulationId}-responses-complete.xlsx`);
      toast('success', 'Complete Excel file downloaded successfully!');
    } catch {
      toast('error', 'Failed to download Excel file');
    } finally {
      setDownloading(false);
    }
  };
  const tabs = [
    { key: 'matrix', label: 'Matrix View', children: <MatrixView responses={shown} questions={asked} /> },
    { key: 'list', label: 'List View', children: <ListView responses={shown} /> },
    { key: 'questions', label: 'Survey Questions', children: <QuestionTable questions={asked} /> },
    ...(invented
      ? []
      : [{ key: 'charts', label: 'Charts', children: <Charts surveyId={id} simulationId={simulationId} /> }]),
  ];
  return (
    <Page
      title="Simulation Responses"
      subtitle={survey.data?.title}
      actions={
        <Button
          disabled={invented || responses.length === 0}
          loading={downloading}
          loadingText="Downloading..."
          onClick={() => void download()}
        >
          Download Excel
        </Button>
      }
    >
      {run?.demoModel && <Banner type="info">Demo model: not from a language model.</Banner>}
      {run !== undefined && isPartial(run.status) && (
        <Banner type="warning">
          <Badge tone="warn">Partial</Badge> This run is not complete: these are its answers so far.
        </Banner>
      )}
      {invented && (
        <Banner type="warning">
          No real responses exist for this run. What you see is invented sample data, made from the survey’s
          questions.
        </Banner>
      )}
      <RunSummary title={survey.data?.title} run={run} questions={asked.length} />
      <Panel>
        {loading && <Loading text={`Loading responses... ${responses.length || ''}`} />}
        {error !== undefined && <Banner type="error">Failed to load simulation responses</Banner>}
        {!loading && error === undefined && shown.length === 0 && <EmptyState title="No Responses Found" />}
        {!loading && shown.length > 0 && <Tabs items={tabs} destroyOnHidden />}
      </Panel>
    </Page>
  );
}
