import { useState } from 'react';
import { useGet } from '@/api/hooks';
import { sessionEntry, type Entry } from '@/api/kept';
import { BLANK_DRAFT, type Draft } from '@/question-types/draft';
import { emptyHistory, recordStep, takeStep, type UndoHistory } from './undoHistory';

interface DraftStep {
  before: Draft;
  after: Draft;
}

/** A draft, and the steps that led to it. */
interface DraftHistory {
  now: Draft;
  steps: UndoHistory<DraftStep>;
}

const newHistory = (draft: Draft): DraftHistory => ({ now: draft, steps: emptyHistory() });

/** A text changed, or one of a list that did not grow or shrink. */
function isTyping(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    const others = before.filter((item, index) => item !== after[index]);
    return before.length === after.length && others.length <= 1;
  }
  return typeof after === 'string' || typeof after === 'number';
}

const joinSteps = ({ before }: DraftStep, { after }: DraftStep): DraftStep => ({ before, after });

/** Adds a change. Typing in the same fields goes on as one step; any other change is a step of its own. */
function pushChange(written: DraftHistory, next: Draft): DraftHistory {
  const { now, steps } = written;
  const fields = (Object.keys(next) as (keyof Draft)[]).filter((field) => next[field] !== now[field]);
  if (fields.length === 0) return written;
  const key = fields.every((field) => isTyping(now[field], next[field])) ? fields.join() : '';
  return { now: next, steps: recordStep(steps, { before: now, after: next }, { key, join: joinSteps }) };
}

/** Whether the user's settings let what is written be kept by itself; `undefined` while they are not known. */
export const useAutoSave = (): boolean | undefined =>
  useGet('/api/auth/settings', {}, { revalidateOnFocus: false }).data?.autoSave;

/**
 * The draft of a question; `questionId` is `null` for a new one. Where the user's settings say so, it is kept in the
 * tab's `sessionStorage`, so that it outlives a closed card, a reload and a lost session.
 */
export function useDraft(
  { surveyId, questionId }: { surveyId: number; questionId: number | null },
  initial: Draft,
) {
  const entry = sessionEntry('draft:', `${surveyId}:${questionId ?? 'new'}`);
  const [stored, setStored] = useState(() => read(entry));
  const [written, setWritten] = useState(() => newHistory(stored ?? initial));
  const autoSave = useAutoSave();

  const forget = () => entry.write(null);
  const commit = (next: DraftHistory) => {
    setWritten(next);
    if (autoSave !== false) entry.write(JSON.stringify(next.now));
    return next.now;
  };
  /** The draft before the latest step, or after it again. */
  const stepTo = (isBack: boolean) => {
    const taken = takeStep(written.steps, isBack);
    if (taken === null) return null;
    const now = isBack ? taken.step.before : taken.step.after;
    return () => commit({ now, steps: taken.history });
  };
  return {
    draft: written.now,
    /** Whether it continues a draft of earlier. */
    resumed: stored !== null,
    /** `undefined`: not known yet. */
    autoSave,
    write: (next: Draft) => commit(pushChange(written, next)),
    /** `null` where there is nothing to take back. */
    undo: stepTo(true),
    redo: stepTo(false),
    startOver: (draft = initial) => {
      forget();
      setStored(null);
      setWritten(newHistory(draft));
    },
    /** Drops a draft that was saved or cancelled. */
    forget,
  };
}

function read(entry: Entry): Draft | null {
  const stored = entry.read();
  return stored === null ? null : { ...BLANK_DRAFT, ...(JSON.parse(stored) as Draft) };
}
