import { useEffect, useRef, useState } from 'react';
import { api, ApiError } from '@/api/client';
import type { Design } from '@/api/design';
import { useGet } from '@/api/hooks';
import { AutoSave } from '@/editing/autoSave';
import type { OtherStep } from '@/editing/history';
import { reasonOf, type QuestionStore } from './useQuestions';

/** Changes of one field within this time are one step of undo. */
const STEP_MS = 1000;

export const EMPTY_DESIGN: Design = { flow: [], tables: {} };

export type DesignStore = ReturnType<typeof useDesign>;

/** A design as the server has it; the hash is missing before it was read. */
type SavedDesign = Design & { hash: string | null };

const NOT_READ: SavedDesign = { ...EMPTY_DESIGN, hash: null };

/** Texts of two designs that say the same are equal. */
const textOf = ({ flow, tables }: Design) => JSON.stringify([flow, tables]);

/**
 * The design of a survey. What is changed is shown at once and saved when the typing rests, one call at a time; what somebody else
 * saved meanwhile is never written over unasked. Its changes are steps of the history of the questions.
 */
export function useDesign(surveyId: number, store: QuestionStore) {
  const params = { path: { surveyId } };
  // Read once: what is being changed here is newer than what the server has.
  const { data, error, mutate } = useGet(
    '/api/surveys/{surveyId}/design',
    { params },
    { revalidateOnFocus: false, revalidateOnReconnect: false },
  );
  const design = data as SavedDesign | undefined;
  const [conflict, setConflict] = useState<SavedDesign | null>(null);
  const merging = useRef<{ key: string; at: number; step: OtherStep & { after: Design } } | null>(null);

  const show = (next: Design, hash: string | null) =>
    mutate({ flow: next.flow, tables: next.tables as never, hash: hash ?? '' }, { revalidate: false });
  const [saver] = useState(
    () =>
      new AutoSave<Design, SavedDesign>(NOT_READ, {
        write: async (next, { hash: expectedHash }) => {
          const body = { flow: next.flow, tables: next.tables as never, expectedHash };
          const saved = await store.withSaveState(() =>
            api.put('/api/surveys/{surveyId}/design', { params, body }),
          );
          return { ...next, hash: saved.hash };
        },
        isSame: (saved, next) => saved.hash !== null && textOf(saved) === textOf(next),
        changedTo: async (failure) =>
          failure instanceof ApiError && failure.code === 'design_changed'
            ? ((await api.get('/api/surveys/{surveyId}/design', { params })) as SavedDesign)
            : undefined,
        onSaved: async (saved) => {
          store.setState({ kind: 'saved', at: new Date() });
          await show(saved, saved.hash);
        },
        // Nothing is saved until somebody has chosen.
        onConflict: setConflict,
        onFailure: (failure) => store.setState({ kind: 'failed', reason: reasonOf(failure) }),
      }),
  );
  /** Takes the design that was read as the one that the first save starts from. */
  const start = () => {
    if (saver.saved.hash === null && design !== undefined) saver.accept(design);
  };
  const showAndSave = async (next: Design) => {
    start();
    await show(next, saver.saved.hash);
    saver.later(next);
    await saver.flush();
  };

  /** Shows and saves another design. Changes with the same `key`, soon after each other, are taken back as one. */
  const change = (next: Design, key = '') => {
    if (design === undefined) return;
    const before: Design = design;
    const now = Date.now();
    const last = merging.current;
    if (key !== '' && last?.key === key && now - last.at < STEP_MS && store.isLatest(last.step)) {
      last.step.after = next;
      last.at = now;
    } else {
      const step = {
        after: next,
        undo: () => showAndSave(before),
        redo: (): Promise<void> => showAndSave(step.after),
      };
      store.record(step);
      merging.current = { key, at: now, step };
    }
    store.setState({ kind: 'saving' });
    void show(next, design.hash);
    start();
    saver.later(next);
  };
  /** Shows and saves another design, as a part of a step that is recorded elsewhere. */
  const replace = async (next: Design): Promise<OtherStep> => {
    const before = design ?? EMPTY_DESIGN;
    await showAndSave(next);
    return { undo: () => showAndSave(before), redo: () => showAndSave(next) };
  };
  const resolveConflict = (withMine: boolean) => {
    if (conflict === null) return;
    setConflict(null);
    saver.accept(conflict);
    if (withMine && design !== undefined) {
      saver.later(design);
      void saver.flush();
    } else {
      void show(conflict, conflict.hash);
      store.setState({ kind: 'untouched' });
    }
  };

  // What still waits is saved when the page goes.
  useEffect(() => () => void saver.flush(), [saver]);

  return {
    design: design as Design | undefined,
    /** Changes with each save. */
    hash: design?.hash ?? undefined,
    error,
    /** The design that somebody else saved while another one was being written here. */
    conflict,
    resolveConflict,
    change,
    replace,
    flush: () => saver.flush(),
  };
}
