import { api, messageOf } from '@/api/client';
import type { Question } from '@/api/types';
import { ConfirmDialog } from '@/ui/antd/ConfirmDialog';
import { toast } from '@/ui/toasts';

export default function DeleteQuestion({
  question,
  onClose,
  onDeleted,
}: {
  question: Question;
  onClose: () => void;
  /** Also where it failed: the list may have changed. */
  onDeleted: () => Promise<unknown>;
}) {
  const remove = async () => {
    try {
      await api.delete('/api/surveys/questions/{questionId}', { path: { questionId: question.id } });
      toast('success', 'Question deleted successfully!');
    } catch (error) {
      toast('error', messageOf(error, 'Failed to delete question'));
    }
    await onDeleted();
  };
  return (
    <ConfirmDialog title="Delete Question" action="Delete" onConfirm={remove} onClose={onClose}>
      Are you sure you want to delete this question?
    </ConfirmDialog>
  );
}
