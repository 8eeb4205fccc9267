import { api, ApiError } from '@/api/client';
import type { Design } from '@/api/design';
import { useGet } from '@/api/hooks';
import { useSavedDocument } from '@/editing/useSavedDocument';
import type { QuestionStore } from './useQuestions';

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
  const show = (next: Design, hash: string | null) =>
    mutate({ flow: next.flow, tables: next.tables as never, hash: hash ?? '' }, { revalidate: false });
  const { saver, conflict, settle } = useSavedDocument<Design, SavedDesign>(NOT_READ, {
    setState: store.setState,
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
    onSaved: (saved) => show(saved, saved.hash),
  });
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
    store.record({ undo: () => showAndSave(design), redo: () => showAndSave(next) }, key);
    store.setState({ kind: 'saving' });
    void show(next, design.hash);
    start();
    saver.later(next);
  };
  /** Shows the design as the server has it after a call that changed it. */
  const accept = (saved: SavedDesign) => {
    saver.accept(saved);
    return show(saved, saved.hash);
  };
  const reload = async () =>
    accept((await api.get('/api/surveys/{surveyId}/design', { params })) as SavedDesign);
  const resolveConflict = (keepsMine: boolean) => {
    const theirs = settle(keepsMine && design !== undefined ? design : null);
    if (!keepsMine && theirs !== null) void show(theirs, theirs.hash);
  };

  return {
    design: design as Design | undefined,
    /** Changes with each save. */
    hash: design?.hash ?? undefined,
    error,
    /** The design that somebody else saved while another one was being written here. */
    conflict: conflict?.theirs ?? null,
    resolveConflict,
    change,
    accept,
    reload,
    /** The hash of the design that the server has; missing before it was read. */
    savedHash: () => saver.saved.hash ?? design?.hash,
    flush: () => saver.flush(),
  };
}
