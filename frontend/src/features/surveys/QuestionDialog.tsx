import { useId, useRef, useState } from 'react';
import { Alert, App, Button, Checkbox, Form, Input } from 'antd';
import { api, failed } from '@/api/client';
import { isChoice, isScale, offered, typeName } from '@/api/questionTypes';
import type { Question, QuestionType } from '@/api/types';
import { Dialog } from '@/ui/Dialog';
import {
  blank,
  draftOf,
  payloadOf,
  problemOf,
  switchType,
  useDraft,
  type Draft,
  type TypeMemory,
} from './draft';
import { ChoiceFields, invalid, MatrixFields, ScaleFields } from './QuestionFields';

const PROBLEM = 'question-problem';

/** Adds a question to a survey, or edits the one given. */
export function QuestionDialog({
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
  const { message } = App.useApp();
  const form = useId();
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
      if (adding) {
        await api.post('/api/surveys/{surveyId}/questions', { params: { path: { surveyId } }, body });
      } else {
        const params = { path: { questionId: question.id } };
        await api.patch('/api/surveys/questions/{questionId}', { params, body });
      }
      forget();
      void message.success(adding ? 'Question added successfully!' : 'Question updated successfully!');
      onSaved();
      onClose();
    } catch (failure) {
      setError(failed(adding ? 'Failed to add question' : 'Failed to update question', failure));
      setSaving(false);
    }
  };
  // What another type had, until the dialog closes.
  const memory = useRef<TypeMemory>(new Map());
  const change = (part: Partial<Draft>) => write({ ...draft, ...part });
  const fields = { draft, problem: error === null ? undefined : PROBLEM, onChange: change };
  const hint = hints[draft.type];
  return (
    <Dialog
      title={adding ? 'Add Question' : 'Edit Question'}
      size="lg"
      busy={saving}
      onClose={onClose}
      action={{
        text: adding ? 'Add Question' : 'Save Changes',
        busyText: adding ? 'Adding...' : 'Saving...',
        form,
        // A closed dialog keeps the draft, a cancelled one does not.
        onCancel: () => {
          forget();
          onClose();
        },
      }}
    >
      <Form id={form} layout="vertical" className="question-form" onFinish={() => void save()}>
        {resumed && (
          <Alert
            type="info"
            role="status"
            title="This is what you began earlier."
            action={
              <Button size="small" type="text" onClick={startOver}>
                Start over
              </Button>
            }
          />
        )}
        <TypeTiles value={draft.type} onChange={(type) => write(switchType(memory.current, draft, type))} />
        <Form.Item label="Question Text" htmlFor="question-text">
          <Input.TextArea
            id="question-text"
            rows={2}
            {...(error !== null && draft.text.trim() === '' && invalid(PROBLEM))}
            value={draft.text}
            onChange={(event) => change({ text: event.target.value })}
          />
        </Form.Item>
        <Checkbox checked={draft.required} onChange={(event) => change({ required: event.target.checked })}>
          Required Question
        </Checkbox>
        {isChoice(draft.type) && <ChoiceFields {...fields} />}
        {draft.type === 'MATRIX' && <MatrixFields {...fields} />}
        {isScale(draft.type) && <ScaleFields {...fields} />}
        {hint !== undefined && <Alert type="info" role="status" title={hint} />}
        {error !== null && <Alert type="error" id={PROBLEM} title={error} />}
      </Form>
    </Dialog>
  );
}

const hints: Partial<Record<QuestionType, string>> = {
  NUMBER: 'Each digital twin answers with a number.',
  OPENENDED: 'Each digital twin answers in its own words, at any length.',
  BOOLEAN: 'Each digital twin answers yes or no.',
  TEXT_ENTRY: 'Each digital twin answers with a short text of its own.',
};

const examples: Partial<Record<QuestionType, string>> = {
  SINGLE_CHOICE: '◉ ○ ○',
  MULTIPLE_CHOICE: '☑ ☑ ☐',
  MATRIX: '▦',
  SLIDER: '─●──',
  TEXT_ENTRY: 'Aa',
};

/** The question type as tiles. A type that is no longer offered has a tile in the questions that use it. */
function TypeTiles({ value, onChange }: { value: QuestionType; onChange: (type: QuestionType) => void }) {
  const types = offered.includes(value) ? offered : [...offered, value];
  return (
    <fieldset className="type-tiles">
      <legend>Question Type</legend>
      {types.map((type) => (
        <label key={type} className={type === value ? 'type-tile type-tile-chosen' : 'type-tile'}>
          <input
            type="radio"
            name="question-type"
            className="visually-hidden"
            checked={type === value}
            onChange={() => onChange(type)}
          />
          <span aria-hidden="true">{examples[type] ?? '…'}</span>
          {typeName(type)}
        </label>
      ))}
    </fieldset>
  );
}
