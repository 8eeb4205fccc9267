import { useState } from 'react';
import { Alert, App, Button } from 'antd';
import { useParams } from 'react-router';
import { api, failed } from '@/api/client';
import { useGet } from '@/api/hooks';
import { useSession } from '@/api/session';
import type { Question } from '@/api/types';
import { paths } from '@/paths';
import { ConfirmDialog } from '@/ui/Dialog';
import { EmptyState, LinkButton, Loading, Page } from '@/ui/Page';
import { QuestionDialog } from './QuestionDialog';
import { QuestionList } from './QuestionList';
import { DuplicateSurvey } from './SurveyDialogs';
import './QuestionsEditor.css';

/** The questions of one survey: written, ordered and, once a simulation exists, locked. */
export default function QuestionsEditor() {
  const { message } = App.useApp();
  const surveyId = Number(useParams().surveyId);
  const survey = useGet('/api/surveys/{surveyId}', { params: { path: { surveyId } } });
  const questions = useGet('/api/surveys/{surveyId}/questions', { params: { path: { surveyId } } });
  const [edited, setEdited] = useState<Question | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Question | null>(null);
  const missing = survey.error ?? questions.error;
  const user = useSession();
  const others = survey.data !== undefined && survey.data.userId !== user?.id;
  const locked = survey.data?.isLocked ?? false;
  // Until it is known whose it is, too.
  const readOnly = survey.data === undefined || locked || others;
  const [copying, setCopying] = useState(false);
  const ordered = questions.data?.toSorted((a, b) => a.order - b.order);

  const reorder = async (moved: Question[]) => {
    const renumbered = moved.map((question, index) => ({ ...question, order: index + 1 }));
    await questions.mutate(renumbered, { revalidate: false });
    try {
      const questionOrders = renumbered.map(({ id, order }) => ({ id, order }));
      await api.patch('/api/surveys/{surveyId}/questions/order', {
        params: { path: { surveyId } },
        body: { questionOrders },
      });
      void message.success('Question order updated successfully!');
    } catch {
      void message.error('Failed to update question order');
      await questions.mutate();
    }
  };
  const remove = async (questionId: number) => {
    try {
      await api.delete('/api/surveys/questions/{questionId}', { params: { path: { questionId } } });
      void message.success('Question deleted successfully!');
    } catch (error) {
      void message.error(failed('Failed to delete question', error));
    }
    // Also after a failure: somebody else may have changed the list.
    await questions.mutate();
  };

  return (
    <Page
      title={survey.data?.title ?? 'Survey Questions'}
      subtitle={survey.data?.description}
      actions={
        <>
          <LinkButton to={paths.surveyBuilder}>Back to Survey List</LinkButton>
          {others && <Button onClick={() => setCopying(true)}>Duplicate Survey</Button>}
          <Button
            type="primary"
            disabled={readOnly || ordered === undefined}
            onClick={() => setEdited('new')}
          >
            + Add Question
          </Button>
        </>
      }
    >
      {missing !== undefined && <Alert type="error" title="Failed to load survey data" />}
      {others && (
        <Alert
          type="info"
          role="status"
          title="You are reading somebody else's survey. Duplicate it to have one of your own to change."
        />
      )}
      {locked && (
        <Alert
          type="warning"
          role="status"
          title={<strong>Survey Locked</strong>}
          description="This survey is locked because it has simulations, running or completed. It cannot be edited, to maintain data integrity."
        />
      )}
      {ordered === undefined && missing === undefined && <Loading />}
      {ordered?.length === 0 && (
        <EmptyState title="No questions found">
          {others
            ? 'Nothing is asked here yet.'
            : 'Start building your survey by adding your first question!'}
        </EmptyState>
      )}
      {ordered !== undefined && ordered.length > 0 && (
        <QuestionList
          questions={ordered}
          locked={readOnly}
          onReorder={(moved) => void reorder(moved)}
          onEdit={setEdited}
          onDelete={setDeleted}
        />
      )}
      {copying && survey.data !== undefined && (
        <DuplicateSurvey survey={survey.data} onClose={() => setCopying(false)} />
      )}
      {deleted !== null && (
        <ConfirmDialog
          title="Delete Question"
          action="Delete"
          onConfirm={() => remove(deleted.id)}
          onClose={() => setDeleted(null)}
        >
          Are you sure you want to delete this question?
        </ConfirmDialog>
      )}
      {edited !== null && (
        <QuestionDialog
          surveyId={surveyId}
          question={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onSaved={() => void questions.mutate()}
        />
      )}
    </Page>
  );
}
