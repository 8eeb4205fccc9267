import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { Alert, Button, Checkbox, Form, Input } from 'antd';
import type { TextAreaRef } from 'antd/es/input/TextArea';
import { failed } from '@/api/client';
import type { Design } from '@/api/design';
import { useGet } from '@/api/hooks';
import type { Question, QuestionType } from '@/api/types';
import { contentOf } from '@/editing/history';
import { Conflict } from '@/editing/Conflict';
import { questionCalls } from '@/editing/questionSaving';
import { useSavedDocument } from '@/editing/useSavedDocument';
import { AskedQuestion } from '@/question-types/AskedQuestion';
import { useDraft } from '@/editing/useDraft';
import { payloadOf, problemOf, switchType, type TypeMemory } from '@/question-types/content';
import { BLANK_DRAFT, draftOf, isName, withPart, type Draft } from '@/question-types/draft';
import { offered, questionTypes } from '@/question-types/questionTypes';
import { Help } from '@/ui/Help';
import { isKey, MOD } from '@/ui/keys';
import { namesOf } from './flow/names';
import { PipeMenu } from './flow/PipeMenu';
import { Hints } from './Hints';
import { QuestionLogic } from './QuestionLogic';
import { EMPTY_DESIGN } from './useDesign';
import { ChoiceFields, invalid, MatrixFields, Presets, ScaleFields, TotalField } from './QuestionFields';
import type { QuestionStore } from './useQuestions';
import { takenBy, type Renaming } from './useRenaming';
import './QuestionForm.css';

const PROBLEM = 'question-problem';
/** Keys that, with Alt, choose a question type, in the order of the tiles. */
const DIGITS = [...'1234567890'].map((digit) => `Digit${digit}`);

/**
 * Writes a new question, or an existing one, in the list itself. An existing one is saved while it is written, where
 * the user's settings say so.
 */
export function QuestionForm({
  surveyId,
  question,
  at,
  store,
  design = EMPTY_DESIGN,
  renaming,
  onClose,
}: {
  surveyId: number;
  question: Question | null;
  /** The place of a new question, from 0; the end without it. */
  at?: number | undefined;
  store: QuestionStore;
  /** The design of the survey, where it is known: texts and conditions name its fields. */
  design?: Design | undefined;
  renaming: Renaming;
  /** Called with the new question, if one was added. */
  onClose: (added?: Question) => void;
}) {
  const form = useId();
  const adding = question === null;
  const { draft, resumed, autoSave, ...written } = useDraft(
    { surveyId, questionId: question?.id ?? null },
    adding ? BLANK_DRAFT : draftOf(question),
  );
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  // As it was when the card was opened.
  const [first] = useState(question);
  const { saver, conflict, settle } = useSavedDocument<Draft, Question>(question, {
    ...questionCalls((body, expected) => renaming.write(expected, body)),
    setState: store.setState,
    onSaved: written.forget,
    onLeave: (done) => {
      if (saver === null || first === null || saver.stopped) return;
      store.trackPending(done.then(() => renaming.recordChange(first, saver.saved)));
    },
  });
  useEffect(() => saver?.allow(autoSave === true), [saver, autoSave]);

  /** The name is being typed: half of it would be that of another question. */
  const naming = useRef(false);
  const takenIn = (one: Draft) =>
    takenBy(store.questions ?? [], one.name ?? '', (saver?.saved ?? first)?.name);
  const wrongIn = (one: Draft) => problemOf(one) ?? takenIn(one);
  const autosave = (next: Draft) => {
    if (saver === null || autoSave === false) return;
    const keepsName = naming.current || takenIn(next) !== null;
    saver.later(keepsName ? { ...next, name: saver.saved.name } : next);
    const problem = wrongIn(next);
    if (problem !== null) store.setState({ kind: 'failed', reason: problem });
    else if (store.state.kind === 'failed') store.setState({ kind: 'untouched' });
  };
  const change = (part: Partial<Draft>) => autosave(written.write(withPart(draft, part)));
  const text = useRef<TextAreaRef>(null);
  // What another type had, until the card closes.
  const memory = useRef<TypeMemory>(new Map());
  const named = () => {
    if (!naming.current) return;
    naming.current = false;
    autosave(draft);
  };
  const retype = (type: QuestionType) => {
    // It was wrong with the other type.
    setError(null);
    autosave(written.write(switchType(memory.current, draft, type)));
  };

  const save = async () => {
    const problem = wrongIn(draft);
    setError(problem);
    if (problem !== null) return;
    setBusy(true);
    try {
      if (saver !== null) {
        if (await saver.now(draft)) {
          store.showToast('success', 'Question updated successfully!');
          written.forget();
          onClose();
        }
      } else {
        const added = await store.create(payloadOf(draft), at);
        written.forget();
        store.showToast('success', 'Question added successfully!');
        onClose(added);
      }
    } catch (failure) {
      setError(failed(adding ? 'Failed to add question' : 'Failed to update question', failure));
    }
    setBusy(false);
  };
  // A closed card keeps what was written, a cancelled one does not.
  const cancel = async () => {
    const rest = saver?.stop();
    written.forget();
    store.setState({ kind: 'untouched' });
    onClose();
    await rest;
    if (saver === null || first === null || saver.saved === first) return;
    try {
      await renaming.write(saver.saved, contentOf(first));
    } catch (failure) {
      store.showToast('error', failed('Failed to update question', failure));
    }
  };
  /** Ends a conflict with the one text or the other. */
  const resolveConflict = (keepsMine: boolean) => {
    const theirs = settle(keepsMine ? draft : null);
    text.current?.focus();
    if (theirs === null) {
      written.forget();
      onClose();
      if (keepsMine) void store.create(payloadOf(draft), (first?.order ?? 1) - 1).catch(() => undefined);
    } else if (!keepsMine) written.startOver(draftOf(theirs));
    if (!keepsMine) void store.reload();
  };
  const press = (event: KeyboardEvent) => {
    const type = offered[DIGITS.indexOf(event.code)];
    const step = isKey(event, 'redo') ? written.redo : isKey(event, 'undo') ? written.undo : null;
    if (event.nativeEvent.isComposing || busy) return;
    if (isKey(event, 'closeQuestion')) {
      named();
      onClose();
    } else if (isKey(event, 'questionDone')) void save();
    else if (step !== null) autosave(step());
    else if (event.altKey && type !== undefined) retype(type);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const attributes = useGet(
    '/api/personas/attributes',
    {},
    { revalidateOnFocus: false, shouldRetryOnError: false },
  );
  const names = namesOf(design, store.questions ?? [], attributes.data ?? []);
  const fields = { draft, problem: error === null ? undefined : PROBLEM, onChange: change };
  const kind = questionTypes[draft.type];
  const taken = takenIn(draft);
  const title = adding ? 'Add Question' : 'Edit Question';
  return (
    <section role="dialog" aria-label={title} className="question-open" onKeyDown={press}>
      <Form
        id={form}
        layout="vertical"
        className="question-form flush stack gap-4"
        onFinish={() => void save()}
      >
        {resumed && (
          <Alert
            type="info"
            role="status"
            title="This is what you began earlier."
            action={
              <Button size="small" type="text" onClick={() => written.startOver()}>
                Start over
              </Button>
            }
          />
        )}
        {conflict !== null && (
          <Conflict
            name="This question"
            mine={<AskedQuestion draft={draft} />}
            theirs={conflict.theirs === null ? null : <AskedQuestion draft={draftOf(conflict.theirs)} />}
            onSettle={resolveConflict}
          />
        )}
        <PipeMenu names={names} {...(question !== null && { self: question.name })}>
          <TypeTiles value={draft.type} onChange={retype} />
          <Form.Item label="Question Text" htmlFor="question-text">
            <Input.TextArea
              ref={text}
              id="question-text"
              autoFocus
              rows={2}
              className="question-text"
              {...(error !== null && draft.text.trim() === '' && invalid(PROBLEM))}
              value={draft.text}
              onChange={(event) => change({ text: event.target.value })}
            />
          </Form.Item>
          {kind.parts === 'options' && <ChoiceFields {...fields} />}
          {kind.hasTotal && <TotalField {...fields} />}
          {kind.parts === 'matrix' && <MatrixFields {...fields} />}
          {kind.parts === 'ends' && <ScaleFields {...fields} />}
          <Presets draft={draft} onChange={change} />
          <Hints draft={draft} onChange={change} />
          {kind.hint !== undefined && <Alert type="info" role="status" title={kind.hint} />}
          <Form.Item
            label="Name"
            htmlFor="question-name"
            extra="In files for statistics programs. Empty: made from the text. What reads the question follows its name."
            className="question-name"
            {...(taken !== null && { validateStatus: 'error', help: taken })}
          >
            <Input
              id="question-name"
              maxLength={63}
              autoComplete="off"
              spellCheck={false}
              {...(error !== null && !isName(draft.name) && invalid(PROBLEM))}
              value={draft.name ?? ''}
              onChange={(event) => {
                naming.current = !adding;
                change({ name: event.target.value });
              }}
              onBlur={named}
            />
          </Form.Item>
          <QuestionLogic draft={draft} names={names} onChange={change} />
          {kind.isAsked && (
            <div>
              <Checkbox
                checked={draft.required}
                onChange={(event) => change({ required: event.target.checked })}
              >
                Required Question
              </Checkbox>
              <Help term="required" />
            </div>
          )}
        </PipeMenu>
      </Form>
      <div className="question-preview">
        <p className="question-preview-title muted tiny" aria-hidden="true">
          Preview
        </p>
        <AskedQuestion draft={draft} />
      </div>
      <div className="question-foot row gap-2">
        {error !== null && <Alert type="error" id={PROBLEM} title={error} />}
        <p className="question-keys muted tiny" aria-hidden="true">
          <kbd>Enter</kbd> next line <kbd>Alt ↑↓</kbd> move it <kbd>Alt 1-0</kbd> type <kbd>{MOD} Enter</kbd>{' '}
          done
        </p>
        <Button disabled={busy} onClick={() => void cancel()}>
          Cancel
        </Button>
        <Button type="primary" htmlType="submit" form={form} loading={busy} disabled={busy}>
          {adding ? (busy ? 'Adding...' : 'Add Question') : busy ? 'Saving...' : 'Save Changes'}
        </Button>
      </div>
    </section>
  );
}

/** The question type as tiles. A type that is no longer offered has a tile in the questions that use it. */
function TypeTiles({ value, onChange }: { value: QuestionType; onChange: (type: QuestionType) => void }) {
  const types = offered.includes(value) ? offered : [...offered, value];
  return (
    <fieldset className="type-tiles stack gap-2">
      <legend>Question Type</legend>
      {types.map((type) => {
        const { name, Icon } = questionTypes[type];
        return (
          <label
            key={type}
            className={
              type === value
                ? 'type-tile stack gap-1 box small type-tile-chosen'
                : 'type-tile stack gap-1 box small'
            }
          >
            <input
              type="radio"
              name="question-type"
              className="visually-hidden"
              checked={type === value}
              onChange={() => onChange(type)}
            />
            <Icon />
            {name}
          </label>
        );
      })}
    </fieldset>
  );
}
