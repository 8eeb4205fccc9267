import { lazy, Suspense, useState } from 'react';
import { useParams } from 'react-router';
import { api } from '@/api/client';
import { useGet } from '@/api/hooks';
import type { Question } from '@/api/types';
import { paths } from '@/paths';
import { Badge } from '@/ui/Badge';
import { Banner } from '@/ui/Banner';
import { Button, LinkButton } from '@/ui/Button';
import { Loading } from '@/ui/Loading';
import { EmptyState, Page } from '@/ui/Page';
import { toast } from '@/ui/toasts';
import { QuestionList } from './QuestionList';
import './QuestionsEditor.css';

const QuestionDialog = lazy(() => import('./QuestionDialog'));
const DeleteQuestion = lazy(() => import('./DeleteQuestion'));

/** The questions of one survey: written, ordered and, once a simulation exists, locked. */
export default function QuestionsEditor() {
  const surveyId = Number(useParams().surveyId);
  const survey = useGet('/api/surveys/{surveyId}', { path: { surveyId } });
  const questions = useGet('/api/surveys/{surveyId}/questions', { path: { surveyId } });
  const [edited, setEdited] = useState<Question | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Question | null>(null);
  const failed = survey.error ?? questions.error;
  const locked = survey.data?.isLocked ?? false;
  const ordered = questions.data?.toSorted((a, b) => a.order - b.order);

  const reorder = async (moved: Question[]) => {
    const renumbered = moved.map((question, index) => ({ ...question, order: index + 1 }));
    await questions.mutate(renumbered, { revalidate: false });
    try {
      const questionOrders = renumbered.map(({ id, order }) => ({ id, order }));
      await api.patch('/api/surveys/{surveyId}/questions/order', {
        path: { surveyId },
        body: { questionOrders },
      });
      toast('success', 'Question order updated successfully!');
    } catch {
      toast('error', 'Failed to update question order');
      await questions.mutate();
    }
  };

  return (
    <Page
      title={survey.data?.title ?? 'Survey Questions'}
      subtitle={survey.data?.description}
      actions={
        <>
          <LinkButton to={paths.surveyBuilder} variant="outline">
            Back to Survey List
          </LinkButton>
          <Button disabled={locked || ordered === undefined} onClick={() => setEdited('new')}>
            + Add Question
          </Button>
        </>
      }
    >
      {failed !== undefined && <Banner type="error">Failed to load survey data</Banner>}
      {locked && (
        <Banner type="warning">
          <Badge tone="warn">Survey Locked</Badge> This survey is locked because it has simulations, running
          or completed. It cannot be edited, to maintain data integrity.
        </Banner>
      )}
      {ordered === undefined && failed === undefined && <Loading />}
      {ordered?.length === 0 && (
        <EmptyState title="No questions found">
          Start building your survey by adding your first question!
        </EmptyState>
      )}
      {ordered !== undefined && ordered.length > 0 && (
        <QuestionList
          questions={ordered}
          locked={locked}
          onReorder={(moved) => void reorder(moved)}
          onEdit={setEdited}
          onDelete={setDeleted}
        />
      )}
      <Suspense>
        {deleted !== null && (
          <DeleteQuestion
            question={deleted}
            onClose={() => setDeleted(null)}
            onDeleted={() => questions.mutate()}
          />
        )}
        {edited !== null && (
          <QuestionDialog
            surveyId={surveyId}
            question={edited === 'new' ? null : edited}
            onClose={() => setEdited(null)}
            onSaved={() => void questions.mutate()}
          />
        )}
      </Suspense>
    </Page>
  );
}
