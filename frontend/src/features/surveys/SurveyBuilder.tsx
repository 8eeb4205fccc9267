import { lazy, Suspense, useState } from 'react';
import { Alert, App, Button, Input } from 'antd';
import { useNavigate } from 'react-router';
import { messageOf } from '@/api/client';
import { useAll } from '@/api/hooks';
import type { Survey } from '@/api/types';
import { paths } from '@/paths';
import { GroupGate } from '@/shell/GroupGate';
import { EmptyState, Loading, Page, Panel } from '@/ui/Page';
import { useOpened } from '@/ui/titleAndAddress';
import { CreateSurvey } from './CreateSurvey';
import { ImportSurvey } from './ImportSurvey';
import { useListView } from './listView';
import { useSurveys } from './liveSurveys';
import { SharedSurveys } from './SharedSurveys';
import { DuplicateSurvey } from './SurveyDialogs';
import { SurveyTable } from './SurveyTable';
import { TemplateGallery } from './StudyTemplates';
import './SurveyList.css';

/** A chunk of its own: most visits start nothing. */
const StartSimulation = lazy(async () => ({
  default: (await import('@/runs/start/StartSimulation')).StartSimulation,
}));

const SECOND_REFRESH_MS = 1000;

export default function SurveyBuilder() {
  // Requested in parallel with the groups that the gate needs.
  useAll('/api/surveys/my', {});
  return (
    <GroupGate
      title="My Surveys"
      text="You need to be a member of at least one group to access the Survey Builder. Please contact your administrator to be added to a group."
    >
      <SurveyList />
    </GroupGate>
  );
}

function SurveyList() {
  const { message } = App.useApp();
  const navigate = useNavigate();
  const { data: surveys, error, mutate } = useSurveys();
  /** Open with the study to begin with, or with none. */
  const [creating, setCreating] = useOpened('create');
  const [view, setView] = useListView();
  const [importing, setImporting] = useState(false);
  const [copied, setCopied] = useState<Survey | null>(null);
  const [starting, setStarting] = useState<Survey | null>(null);
  const [pending, setPending] = useState<ReadonlySet<number>>(new Set());

  const started = async (survey: Survey) => {
    setStarting(null);
    setPending(new Set([...pending, survey.id]));
    setTimeout(() => void mutate(), SECOND_REFRESH_MS);
    await mutate();
    void message.success(`The simulation for “${survey.title}” is now running`);
    void navigate(paths.simulationHistory);
  };
  return (
    <Page
      title="My Surveys"
      subtitle="Create and manage your surveys"
      actions={
        <>
          <Button onClick={() => setImporting(true)}>Import</Button>
          <Button type="primary" onClick={() => setCreating('')}>
            Create Survey
          </Button>
        </>
      }
    >
      {error !== undefined && surveys === undefined && (
        <Alert type="error" title={messageOf(error, 'Failed to load surveys')} />
      )}
      {surveys === undefined && error === undefined && <Loading />}
      {surveys?.length === 0 && (
        <EmptyState
          title="No Surveys Yet"
          action={
            <Button type="primary" onClick={() => setCreating('')}>
              Create Your First Survey
            </Button>
          }
        >
          Write a few questions, choose how many digital twins to ask, and read their answers minutes later.
        </EmptyState>
      )}
      {surveys?.length === 0 && (
        <Panel title="Or begin with a classic study">
          <TemplateGallery onChoose={(template) => setCreating(template)} />
        </Panel>
      )}
      {surveys !== undefined && surveys.length > 0 && (
        <Panel>
          <Input
            type="search"
            className="survey-search"
            aria-label="Search surveys"
            placeholder="Search surveys"
            allowClear
            value={view.q}
            onChange={(event) => setView({ q: event.target.value })}
          />
          <div className="survey-table">
            <SurveyTable
              view={view}
              onView={setView}
              surveys={surveys}
              pending={pending}
              onChange={mutate}
              onDuplicate={setCopied}
              onStart={setStarting}
            />
          </div>
        </Panel>
      )}
      {surveys !== undefined && <SharedSurveys onDuplicate={setCopied} />}
      {importing && <ImportSurvey onClose={() => setImporting(false)} />}
      {creating !== null && (
        <CreateSurvey {...(creating !== '' && { template: creating })} onClose={() => setCreating(null)} />
      )}
      {copied !== null && <DuplicateSurvey survey={copied} onClose={() => setCopied(null)} />}
      {starting !== null && (
        <Suspense>
          <StartSimulation
            surveyId={starting.id}
            title={starting.title}
            onClose={() => setStarting(null)}
            onStarted={() => void started(starting)}
          />
        </Suspense>
      )}
    </Page>
  );
}
