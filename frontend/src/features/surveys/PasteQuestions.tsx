import { useState } from 'react';
import { Alert, Form } from 'antd';
import { ApiError, failed } from '@/api/client';
import { Dialog } from '@/ui/Dialog';
import { lineOfQuestion } from './plainText';
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
      setError(failed(sentenceFor(failure, text), failure));
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

/** Names the line of the question that was refused: the server names its place in the list. */
function sentenceFor(failure: unknown, text: string): string {
  const message = failure instanceof ApiError ? String(failure.body.message) : '';
  const place = /^questions\[(\d+)\]/.exec(message)?.[1];
  const line = place === undefined ? undefined : lineOfQuestion(text, Number(place));
  return line === undefined ? 'Failed to add question' : `Failed to add question in line ${line}`;
}
