import { useState } from 'react';
import { App, Button, Dropdown } from 'antd';
import { useNavigate } from 'react-router';
import { api, failed } from '@/api/client';
import { refresh } from '@/api/hooks';
import { saveFile, titledName } from '@/api/saveFile';
import type { Survey } from '@/api/types';
import { paths } from '@/paths';
import { ConfirmDialog } from '@/ui/Dialog';
import { RenameSurvey } from './SurveyDialogs';

/** The menu of a survey's author: all actions besides writing and running it. */
export function SurveyMenu({
  survey,
  size = 'small',
  onDeleted,
}: {
  survey: Survey;
  size?: 'small' | 'middle';
  onDeleted?: () => void;
}) {
  const { message } = App.useApp();
  const navigate = useNavigate();
  const [asking, setAsking] = useState<'rename' | 'delete' | null>(null);
  const params = { path: { surveyId: survey.id } };
  const isPublic = survey.visibility === 'PUBLIC';
  const hasRuns = survey.simulationId != null;

  const attempt = async (task: () => Promise<unknown>, done: string, failure: string) => {
    try {
      await task();
      if (done !== '') void message.success(done);
    } catch (error) {
      void message.error(failed(failure, error));
    }
    await refresh('/api/surveys');
  };
  const save = async () => {
    const file = await api.get('/api/surveys/{surveyId}/export', { params });
    const text = JSON.stringify(file, null, 2);
    const name = titledName(`survey-${survey.id}`, survey.title);
    saveFile(new Blob([text], { type: 'application/json' }), `${name}.json`);
  };
  const act: Record<string, () => void> = {
    rename: () => setAsking('rename'),
    visibility: () =>
      void attempt(
        () => api.patch('/api/surveys/{surveyId}/toggle-visibility', { params }),
        isPublic ? 'Only you and the owner of your group see it now' : 'All members of your group see it now',
        'Failed to change the visibility',
      ),
    lock: () =>
      void attempt(
        () => api.patch('/api/surveys/{surveyId}/toggle-lock', { params }),
        survey.isLocked ? 'Survey unlocked' : 'Survey locked',
        survey.isLocked ? 'Failed to unlock survey' : 'Failed to lock survey',
      ),
    plans: () => void navigate(paths.plans(survey.id)),
    export: () => void attempt(save, '', 'Failed to export survey'),
    delete: () => setAsking('delete'),
  };
  return (
    <>
      <Dropdown
        trigger={['click']}
        menu={{
          onClick: ({ key }) => act[key]?.(),
          items: [
            {
              key: 'rename',
              label: survey.isLocked ? <Off what="Rename" reason="The survey is locked" /> : 'Rename',
              disabled: survey.isLocked,
            },
            { key: 'visibility', label: isPublic ? 'Make Private' : 'Make Public' },
            {
              key: 'lock',
              label: !survey.isLocked ? (
                'Lock'
              ) : hasRuns ? (
                <Off what="Unlock" reason="It has simulations: duplicate it to edit" />
              ) : (
                'Unlock'
              ),
              disabled: survey.isLocked && hasRuns,
            },
            { key: 'plans', label: 'Plans' },
            { key: 'export', label: 'Export' },
            { key: 'delete', label: 'Delete', danger: true },
          ],
        }}
      >
        <Button size={size} type="text" aria-label={`More for ${survey.title}`}>
          More
        </Button>
      </Dropdown>
      {asking === 'rename' && <RenameSurvey survey={survey} onClose={() => setAsking(null)} />}
      {asking === 'delete' && (
        <ConfirmDialog
          title="Delete Survey"
          action="Delete"
          onConfirm={() =>
            attempt(
              async () => {
                await api.delete('/api/surveys/{surveyId}', { params });
                onDeleted?.();
              },
              'Survey deleted',
              'Failed to delete survey',
            )
          }
          onClose={() => setAsking(null)}
        >
          Delete “{survey.title}”? Its questions, simulations and responses go with it.
        </ConfirmDialog>
      )}
    </>
  );
}

/** An entry that cannot be chosen, and why. */
const Off = ({ what, reason }: { what: string; reason: string }) => (
  <>
    {what} <small className="menu-reason">{reason}</small>
  </>
);
