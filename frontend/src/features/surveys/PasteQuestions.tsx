import { useState } from 'react';
import { Alert, Form } from 'antd';
import { failed } from '@/api/client';
import { Dialog } from '@/ui/Dialog';
import { TextSurveyFields, useTextSurvey } from './TextSurvey';
import type { QuestionStore } from './useQuestions';

/** Adds questions that are written as plain text to the end of a survey. */
export function PasteQuestions({ store, onClose }: { store: QuestionStore; onClose: () => void }) {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const survey = useTextSurvey(text);
  const n = survey.questions.length;

  const add = async () => {
    setBusy(true);
    setError(null);
    try {
      await store.createAll(survey.questions);
      store.showToast('success', n === 1 ? 'Question added successfully!' : `${n} questions added`);
      onClose();
    } catch (failure) {
      setError(failed('Failed to add question', failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Paste questions"
      size="xl"
      busy={busy}
      onClose={onClose}
      action={{
        text: n === 1 ? 'Add 1 question' : `Add ${n} questions`,
        busyText: 'Adding...',
        disabled: n === 0 || survey.errors.length > 0,
        onClick: () => void add(),
      }}
    >
      <Form layout="vertical">
        {error !== null && <Alert type="error" title={error} />}
        <TextSurveyFields text={text} survey={survey} onChange={setText} />
      </Form>
    </Dialog>
  );
}
