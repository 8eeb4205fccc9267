import { useState } from 'react';
import { Checkbox, Input } from 'antd';
import { api, messageOf } from '@/api/client';
import type { Question } from '@/api/types';
import { Banner } from '@/ui/Banner';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/antd/Dialog';
import { DialogButtons } from '@/ui/DialogButtons';
import { invalid } from '@/ui/invalid';
import { isChoice, isScale } from '@/ui/questionTypes';
import { toast } from '@/ui/toasts';
import { ChoiceFields } from './ChoiceFields';
import { blank, draftOf, payloadOf, problemOf, withType, type Draft } from './draft';
import { MatrixFields } from './MatrixFields';
import { ScaleFields } from './ScaleFields';
import { TypeTiles } from './TypeTiles';
import { useDraft } from './useDraft';

const PROBLEM = 'question-problem';

/** Adds a question, or edits the one given. */
export default function QuestionDialog({
  surveyId,
  question,
  onClose,
  onSaved,
}: {
  surveyId: number;
  question: Question | null;
  onClose: () => void;
  onSaved: () => void;
}) {
  const adding = question === null;
  const { draft, resumed, write, startOver, forget } = useDraft(
    { surveyId, questionId: question?.id ?? null },
    adding ? blank : draftOf(question),
  );
  const [error, setError] = useState<string | null>(null);
  const [saving, setSaving] = useState(false);

  const save = async () => {
    const problem = problemOf(draft);
    setError(problem);
    if (problem !== null) return;
    setSaving(true);
    const body = payloadOf(draft);
    try {
      if (adding) await api.post('/api/surveys/{surveyId}/questions', { path: { surveyId }, body });
      else
        await api.patch('/api/surveys/questions/{questionId}', { path: { questionId: question.id }, body });
      forget();
      toast('success', adding ? 'Question added successfully!' : 'Question updated successfully!');
      onSaved();
      onClose();
    } catch (failure) {
      setError(messageOf(failure, adding ? 'Failed to add question' : 'Failed to update question'));
      setSaving(false);
    }
  };
  const problem = error === null ? undefined : PROBLEM;
  const change = (part: Partial<Draft>) => write({ ...draft, ...part });
  const cancel = () => {
    forget();
    onClose();
  };
  return (
    <Dialog title={adding ? 'Add Question' : 'Edit Question'} onClose={onClose} locked={saving} size="lg">
      <form
        className="question-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {resumed && (
          <Banner type="info">
            This is what you began earlier.{' '}
            <Button size="xs" variant="ghost" onClick={startOver}>
              Start over
            </Button>
          </Banner>
        )}
        <TypeTiles value={draft.type} onChange={(type) => write(withType(draft, type))} />
        <div>
          <label htmlFor="question-text">Question Text</label>
          <Input.TextArea
            id="question-text"
            rows={2}
            {...(problem !== undefined && draft.text.trim() === '' && invalid(problem))}
            value={draft.text}
            onChange={(event) => change({ text: event.target.value })}
          />
        </div>
        <Checkbox checked={draft.required} onChange={(event) => change({ required: event.target.checked })}>
          Required Question
        </Checkbox>
        {isChoice(draft.type) && <ChoiceFields draft={draft} problem={problem} onChange={change} />}
        {draft.type === 'MATRIX' && <MatrixFields draft={draft} onChange={change} />}
        {isScale(draft.type) && <ScaleFields draft={draft} problem={problem} onChange={change} />}
        {notes[draft.type] !== undefined && <Banner type="info">{notes[draft.type]}</Banner>}
        {error !== null && (
          <Banner type="error" id={PROBLEM}>
            {error}
          </Banner>
        )}
        <DialogButtons onCancel={cancel} busy={saving} busyText={adding ? 'Adding...' : 'Saving...'}>
          {adding ? 'Add Question' : 'Save Changes'}
        </DialogButtons>
      </form>
    </Dialog>
  );
}

const notes: Partial<Record<Question['questionType'], string>> = {
  NUMBER: 'Each digital twin answers with a number.',
  OPENENDED: 'Each digital twin answers in its own words, at any length.',
  BOOLEAN: 'Each digital twin answers yes or no.',
  TEXT_ENTRY: 'Each digital twin answers with a short text of its own.',
};
