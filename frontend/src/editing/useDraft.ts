import { useState } from 'react';
import { useGet } from '@/api/hooks';
import { sessionEntry, type Entry } from '@/api/kept';
import { BLANK_DRAFT, type Draft } from '@/question-types/draft';

/** Changes of one field within this time are one step of {@link undo}. */
const STEP_MS = 1000;

/** A draft, and what it was before. */
export interface DraftHistory {
  now: Draft;
  past: readonly Draft[];
  future: readonly Draft[];
  /** When it was last changed, and which fields. */
  changed: { at: number; fields: string };
}

export const newHistory = (draft: Draft): DraftHistory => ({
  now: draft,
  past: [],
  future: [],
  changed: { at: 0, fields: '' },
});

/** Marks a field that changed in another way than by typing. */
const ANEW = '#';

/** A text changed, or one of a list that did not grow or shrink. */
function isTyping(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    const others = before.filter((item, index) => item !== after[index]);
    return before.length === after.length && others.length <= 1;
  }
  return typeof after === 'string' || typeof after === 'number';
}

export function pushChange(written: DraftHistory, next: Draft, at = Date.now()): DraftHistory {
  const { now, past, changed } = written;
  const fields = (Object.keys(next) as (keyof Draft)[])
    .filter((field) => next[field] !== now[field])
    .map((field) => (isTyping(now[field], next[field]) ? field : `${field}${ANEW}`))
    .join();
  if (fields === '') return written;
  const goesOn = fields === changed.fields && !fields.includes(ANEW) && at - changed.at < STEP_MS;
  return { now: next, past: goesOn ? past : [...past, now], future: [], changed: { at, fields } };
}

export function undo(written: DraftHistory): DraftHistory {
  const before = written.past.at(-1);
  if (before === undefined) return written;
  const { now, past, future } = written;
  return { ...newHistory(before), past: past.slice(0, -1), future: [...future, now] };
}

export function redo(written: DraftHistory): DraftHistory {
  const after = written.future.at(-1);
  if (after === undefined) return written;
  const { now, past, future } = written;
  return { ...newHistory(after), past: [...past, now], future: future.slice(0, -1) };
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
  return {
    draft: written.now,
    /** Whether it continues a draft of earlier. */
    resumed: stored !== null,
    /** `undefined`: not known yet. */
    autoSave,
    write: (next: Draft) => commit(pushChange(written, next)),
    /** `null` where there is nothing to take back. */
    undo: written.past.length > 0 ? () => commit(undo(written)) : null,
    redo: written.future.length > 0 ? () => commit(redo(written)) : null,
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
