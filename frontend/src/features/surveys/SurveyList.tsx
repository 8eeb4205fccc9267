import { lazy, Suspense, useState } from 'react';
import { useNavigate } from 'react-router';
import { messageOf } from '@/api/client';
import type { Survey } from '@/api/types';
import { paths } from '@/paths';
import { Banner } from '@/ui/Banner';
import { Button } from '@/ui/Button';
import { Loading } from '@/ui/Loading';
import { EmptyState, Page, Panel } from '@/ui/Page';
import { toast } from '@/ui/toasts';
import { useSurveys } from './live';
import { SurveyTable } from './SurveyTable';

// The list is read before anything is done to it: dialogs, with their fields, are loaded when they open.
const CreateSurvey = lazy(() => import('./CreateSurvey'));
const DuplicateSurvey = lazy(() => import('./DuplicateSurvey'));
const StartSimulation = lazy(() => import('./StartSimulation'));

const SECOND_REFRESH_MS = 1000;

export function SurveyList() {
  const navigate = useNavigate();
  const { data: surveys, error, mutate } = useSurveys();
  const [creating, setCreating] = useState(false);
  const [copied, setCopied] = useState<Survey | null>(null);
  const [starting, setStarting] = useState<Survey | null>(null);
  const [pending, setPending] = useState<ReadonlySet<number>>(new Set());

  const started = async (survey: Survey) => {
    setStarting(null);
    setPending(new Set([...pending, survey.id]));
    setTimeout(() => void mutate(), SECOND_REFRESH_MS);
    await mutate();
    toast('success', `The simulation for “${survey.title}” is now running`);
    void navigate(paths.simulationHistory);
  };
  return (
    <Page
      title="My Surveys"
      subtitle="Create and manage your surveys"
      actions={<Button onClick={() => setCreating(true)}>Create Survey</Button>}
    >
      {error !== undefined && surveys === undefined && (
        <Banner type="error">{messageOf(error, 'Failed to load surveys')}</Banner>
      )}
      {surveys === undefined && error === undefined && <Loading />}
      {surveys?.length === 0 && (
        <EmptyState
          title="No Surveys Yet"
          action={<Button onClick={() => setCreating(true)}>Create Your First Survey</Button>}
        >
          Write a few questions, choose how many digital twins to ask, and read their answers minutes later.
        </EmptyState>
      )}
      {surveys !== undefined && surveys.length > 0 && (
        <Panel>
          <SurveyTable
            surveys={surveys}
            pending={pending}
            onChange={mutate}
            onDuplicate={setCopied}
            onStart={setStarting}
          />
        </Panel>
      )}
      <Suspense>
        {creating && <CreateSurvey onClose={() => setCreating(false)} />}
        {copied !== null && <DuplicateSurvey survey={copied} onClose={() => setCopied(null)} />}
        {starting !== null && (
          <StartSimulation
            surveyId={starting.id}
            title={starting.title}
            onClose={() => setStarting(null)}
            onStarted={() => void started(starting)}
          />
        )}
      </Suspense>
    </Page>
  );
}
