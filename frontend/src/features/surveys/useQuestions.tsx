import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { App, Button } from 'antd';
import { api, ApiError, failed } from '@/api/client';
import { refresh, useGet } from '@/api/hooks';
import { PRICES } from '@/api/prices';
import type { Question, QuestionPayload } from '@/api/types';
import { contentOf, difference, renumbered, sameContent, type OtherStep, type Step } from '@/editing/history';
import { useSaveState } from '@/editing/saveState';
import { emptyHistory, recordStep, takeStep, type UndoHistory } from '@/editing/undoHistory';

const UNDO_SECONDS = 10;

type AnyStep = Step | OtherStep;

const joinSteps = (first: AnyStep, then: AnyStep): AnyStep =>
  'undo' in first && 'undo' in then ? { undo: first.undo, redo: then.redo } : then;

const byOrder = (a: Question, b: Question) => a.order - b.order;
/** Toasts about questions replace each other. */
const KEY = 'questions';

export type QuestionStore = ReturnType<typeof useQuestions>;

/** The questions of a survey as the server has them, in their order, and all that can be done to them. */
export function useQuestions(surveyId: number) {
  const { message } = App.useApp();
  const params = { path: { surveyId } };
  const { data, error, mutate } = useGet('/api/surveys/{surveyId}/questions', { params });
  const questions = useMemo(() => data?.toSorted(byOrder), [data]);
  const saving = useSaveState();
  const [steps, setSteps] = useState<UndoHistory<AnyStep>>(emptyHistory);
  /** The questions that calls under way start from. */
  const newest = useRef<Question[]>([]);
  useLayoutEffect(() => {
    newest.current = questions ?? [];
  }, [questions]);
  /** The ids of questions that were deleted and made again. */
  const recreatedIds = useRef(new Map<number, number>());
  const idOf = (id: number): number => {
    const next = recreatedIds.current.get(id);
    return next === undefined ? id : idOf(next);
  };

  const showToast = (type: 'success' | 'error', content: React.ReactNode, duration?: number) =>
    void message.open({ key: KEY, type, content, ...(duration !== undefined && { duration }) });
  const put = (list: Question[]) => {
    newest.current = list;
    return mutate(list, { revalidate: false });
  };
  /** The steps as they are before the page is drawn anew. */
  const latest = useRef(steps);
  const keep = (next: typeof steps) => {
    latest.current = next;
    setSteps(next);
  };
  /** Changes of the same `key`, soon after each other, are taken back as one. */
  const record = (step: AnyStep, key = '') =>
    keep(recordStep(latest.current, step, { key, join: joinSteps }));
  /** The calls that have to end before a step is taken back. */
  const underWay = useRef<Promise<unknown>>(Promise.resolve());
  const trackPending = (task: Promise<unknown>) => {
    underWay.current = Promise.allSettled([underWay.current, task]);
  };
  /** Says how a call goes that saves something. */
  const withSaveState = async <Result,>(task: () => Promise<Result>): Promise<Result> => {
    const running = saving.withSaveState(task);
    trackPending(running);
    const result = await running;
    // Whether the survey can be simulated, and what it costs, may have changed.
    void refresh('/api/surveys/{surveyId}/simulation-config');
    void refresh(PRICES);
    return result;
  };
  const saveOrder = (list: readonly { id: number }[]) =>
    api.patch('/api/surveys/{surveyId}/questions/order', {
      params,
      body: { questionOrders: list.map(({ id }, index) => ({ id, order: index + 1 })) },
    });

  const create = (body: QuestionPayload, at = Infinity) =>
    withSaveState(async () => {
      const made = await api.post('/api/surveys/{surveyId}/questions', { params, body });
      const before = newest.current.filter(({ id }) => id !== made.id);
      const after = renumbered(before.toSpliced(Math.min(at, before.length), 0, made));
      if (at < before.length) await saveOrder(after);
      record({ before, after });
      await put(after);
      return made;
    });
  /** Appends questions in one step: all of them, or none. */
  const createAll = (bodies: QuestionPayload[]) =>
    withSaveState(async () => {
      const body = { questions: bodies };
      const made = await api.post('/api/surveys/{surveyId}/questions/bulk', { params, body });
      const before = newest.current;
      const after = renumbered([...before, ...made]);
      record({ before, after });
      await put(after);
    });
  /** Refused where somebody else has made something else of `before` meanwhile. */
  const write = (before: Question, content: QuestionPayload) =>
    withSaveState(async () => {
      const id = idOf(before.id);
      const path = { questionId: id };
      const body = { ...content, expected: contentOf(before) };
      const changed = await api.patch('/api/surveys/questions/{questionId}', { params: { path }, body });
      await put(
        newest.current.map((question) =>
          question.id === id ? { ...changed, order: question.order } : question,
        ),
      );
      return changed;
    });
  /** One step for all that was saved while a question was open; `step`: how to take it back, where more changed. */
  const recordChange = (before: Question, after: Question, step?: OtherStep) => {
    if (sameContent(before, after)) return;
    // Its button would take back this step, not the one that it names.
    message.destroy(KEY);
    const having = (one: Question) =>
      newest.current.map((question) =>
        question.id === one.id ? { ...one, order: question.order } : question,
      );
    record(step ?? { before: having(before), after: having(after) });
  };
  const reorder = async (moved: readonly Question[]) => {
    const before = newest.current;
    const after = renumbered(moved);
    await put(after);
    try {
      await withSaveState(async () => {
        await saveOrder(after);
        record({ before, after });
      });
      showToast('success', 'Question order updated successfully!');
    } catch (failure) {
      showToast('error', failed('Failed to update question order', failure));
      await mutate();
    }
  };
  const remove = async (question: Question) => {
    const before = newest.current;
    try {
      const path = { questionId: question.id };
      const after = renumbered(before.filter(({ id }) => id !== question.id));
      await withSaveState(async () => {
        await api.delete('/api/surveys/questions/{questionId}', { params: { path } });
        record({ before, after });
      });
      await put(after);
      showToast(
        'success',
        <>
          Question deleted successfully!{' '}
          <Button type="link" size="small" onClick={() => void queued(true)}>
            Undo
          </Button>
        </>,
        UNDO_SECONDS,
      );
    } catch (failure) {
      showToast('error', failed('Failed to delete question', failure));
      // Somebody else may have changed the list.
      await mutate();
    }
  };

  const restore = async (from: readonly Question[], to: readonly Question[]) => {
    const { removed, changed, added, moved } = difference(from, to);
    for (const { id } of removed) await deleted(idOf(id));
    for (const question of changed) {
      const path = { questionId: idOf(question.id) };
      await api.patch('/api/surveys/questions/{questionId}', { params: { path }, body: contentOf(question) });
    }
    for (const question of added) {
      const made = await api.post('/api/surveys/{surveyId}/questions', { params, body: contentOf(question) });
      recreatedIds.current.set(idOf(question.id), made.id);
    }
    if (!moved) return;
    const there = (await api.get('/api/surveys/{surveyId}/questions', { params })).toSorted(byOrder);
    const known = to.flatMap(({ id }) => there.find((question) => question.id === idOf(id)) ?? []);
    await saveOrder([...known, ...there.filter((question) => !known.includes(question))]);
  };
  /** Steps are taken one after the other, however fast the keys come. */
  const stepping = useRef<Promise<unknown>>(Promise.resolve());
  const step = async (back: boolean) => {
    const next = takeStep(latest.current, back);
    if (next === null) return;
    const { step: taken, history } = next;
    keep(history);
    try {
      await withSaveState(() => {
        if ('undo' in taken) return back ? taken.undo() : taken.redo();
        return back ? restore(taken.after, taken.before) : restore(taken.before, taken.after);
      });
      showToast('success', back ? 'Undone' : 'Done again');
    } catch (failure) {
      showToast('error', failed(back ? 'Failed to undo' : 'Failed to redo', failure));
    }
    await mutate();
  };
  const queued = (back: boolean) => {
    stepping.current = stepping.current.then(() => underWay.current).then(() => step(back));
    return stepping.current;
  };

  return {
    params,
    questions,
    error,
    state: saving.state,
    setState: saving.setState,
    showToast,
    trackPending,
    reload: () => mutate(),
    /** Shows the questions as the server has them now. */
    show: put,
    withSaveState,
    record,
    create,
    createAll,
    write,
    /** The list with everything that was saved, also before the page is drawn anew. */
    now: () => newest.current,
    recordChange,
    reorder,
    remove,
    /** Takes the last change back; each change that was taken back can be done again. */
    undo: steps.past.length > 0 ? () => queued(true) : null,
    redo: steps.future.length > 0 ? () => queued(false) : null,
  };
}

/** Deletes a question; one that is gone already is no error. */
async function deleted(questionId: number): Promise<void> {
  try {
    await api.delete('/api/surveys/questions/{questionId}', { params: { path: { questionId } } });
  } catch (failure) {
    if (!(failure instanceof ApiError) || failure.status !== 404) throw failure;
  }
}
