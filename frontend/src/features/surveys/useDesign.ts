import { useEffect, useRef, useState } from 'react';
import { api, ApiError } from '@/api/client';
import type { Design } from '@/api/design';
import { useGet } from '@/api/hooks';
import type { OtherStep } from '@/editing/history';
import { reasonOf, type QuestionStore } from './useQuestions';

/** What has to rest before it is saved. */
const PAUSE_MS = 700;
/** Changes of one field within this time are one step of undo. */
const STEP_MS = 1000;

export const plain: Design = { flow: [], tables: {} };

export type DesignStore = ReturnType<typeof useDesign>;

/** Texts of two designs that say the same are equal. */
const said = ({ flow, tables }: Design) => JSON.stringify([flow, tables]);

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
  const design = data as (Design & { hash: string }) | undefined;
  const [conflict, setConflict] = useState<Design | null>(null);
  /** Nothing is saved until somebody has chosen. */
  const conflicting = useRef(false);
  /** What is to be saved. */
  const waiting = useRef<Design | null>(null);
  /** As the server last had it, to our knowledge. */
  const hash = useRef<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const running = useRef<Promise<unknown>>(Promise.resolve());
  const merging = useRef<{ key: string; at: number; step: OtherStep & { after: Design } } | null>(null);

  const show = (next: Design, as: string) =>
    mutate({ flow: next.flow, tables: next.tables as never, hash: as }, { revalidate: false });

  const send = async () => {
    const next = waiting.current;
    if (next === null || conflicting.current) return;
    waiting.current = null;
    const expectedHash = hash.current ?? design?.hash ?? null;
    try {
      const saved = await store.tracked(() =>
        api.put('/api/surveys/{surveyId}/design', {
          params,
          body: { flow: next.flow, tables: next.tables as never, expectedHash },
        }),
      );
      hash.current = saved.hash;
      if (waiting.current === null) await show(next, saved.hash);
    } catch (failure) {
      waiting.current ??= next;
      if (failure instanceof ApiError && failure.code === 'design_changed') await compare(next);
      else store.setState({ kind: 'failed', reason: reasonOf(failure) });
    }
  };
  /** Sets what somebody else saved beside what was to be saved. */
  const compare = async (next: Design) => {
    try {
      const theirs = (await api.get('/api/surveys/{surveyId}/design', { params })) as Design & {
        hash: string;
      };
      hash.current = theirs.hash;
      // Saved twice: nothing else stands there.
      if (said(theirs) === said(next)) waiting.current = null;
      else {
        conflicting.current = true;
        setConflict(theirs);
      }
    } catch (failure) {
      store.setState({ kind: 'failed', reason: reasonOf(failure) });
    }
  };
  /** Saves what waits; resolves when nothing is under way. */
  const flush = () => {
    clearTimeout(timer.current);
    running.current = running.current.then(send);
    return running.current;
  };
  const later = (next: Design, ms = PAUSE_MS) => {
    waiting.current = next;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void flush(), ms);
  };
  const take = async (next: Design) => {
    await show(next, hash.current ?? design?.hash ?? '');
    waiting.current = next;
    await flush();
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
        undo: () => take(before),
        redo: (): Promise<void> => take(step.after),
      };
      store.record(step);
      merging.current = { key, at: now, step };
    }
    store.setState({ kind: 'saving' });
    void show(next, design.hash);
    later(next);
  };
  /** Shows and saves another design, as a part of a step that is recorded elsewhere. */
  const replace = async (next: Design): Promise<OtherStep> => {
    const before = design ?? plain;
    await take(next);
    return { undo: () => take(before), redo: () => take(next) };
  };
  const settle = (withMine: boolean) => {
    if (conflict === null) return;
    setConflict(null);
    conflicting.current = false;
    if (withMine) void flush();
    else {
      waiting.current = null;
      void show(conflict, hash.current ?? '');
      store.setState({ kind: 'untouched' });
    }
  };

  // What still waits is saved when the page goes.
  const newest = useRef(flush);
  useEffect(() => {
    newest.current = flush;
  });
  useEffect(() => () => void newest.current(), []);

  return {
    design: design as Design | undefined,
    /** Changes with each save. */
    hash: design?.hash,
    error,
    /** What somebody else saved while something else was being written here. */
    conflict,
    settle,
    change,
    replace,
    flush,
  };
}
