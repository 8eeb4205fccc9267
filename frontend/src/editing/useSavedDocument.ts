import { useEffect, useEffectEvent, useState } from 'react';
import { AutoSave, type SavingCalls } from './autoSave';
import { reasonOf, type SaveState } from './saveState';

type Calls<Document, Saved> = Pick<
  SavingCalls<Document, Saved>,
  'write' | 'isReady' | 'isSame' | 'changedTo'
> & {
  setState: (state: SaveState) => void;
  onSaved?: (saved: Saved) => unknown;
  /** The page is being left; `done` resolves once what was written is saved, or could not be. */
  onLeave?: (done: Promise<void>) => void;
};

interface SavedDocument<Document, Saved, Saver = AutoSave<Document, Saved>> {
  saver: Saver;
  /** The version that somebody else saved; it is `null` where they deleted the document. */
  conflict: { theirs: Saved | null } | null;
  /** Ends a conflict: saves `mine` over the other version, or takes that one. Returns the other version. */
  settle: (mine: Document | null) => Saved | null;
}

/**
 * Saves a document when the typing rests, when its page is left, and at once when asked. A version that somebody else
 * saved is a conflict, and nothing is saved until it is settled; a failure that may pass is tried again. The calls stay
 * those of the first render. Without a `start` there is nothing to save yet.
 */
export function useSavedDocument<Document, Saved>(
  start: Saved,
  calls: Calls<Document, Saved>,
): SavedDocument<Document, Saved>;
export function useSavedDocument<Document, Saved>(
  start: Saved | null,
  calls: Calls<Document, Saved>,
): SavedDocument<Document, Saved, AutoSave<Document, Saved> | null>;
export function useSavedDocument<Document, Saved>(
  start: Saved | null,
  { setState, onSaved, onLeave, ...calls }: Calls<Document, Saved>,
): SavedDocument<Document, Saved, AutoSave<Document, Saved> | null> {
  const [conflict, setConflict] = useState<{ theirs: Saved | null } | null>(null);
  const begin = (known: Saved) =>
    new AutoSave<Document, Saved>(known, {
      ...calls,
      onSaved: async (saved) => {
        setState({ kind: 'saved', at: new Date() });
        await onSaved?.(saved);
      },
      onConflict: (theirs) => setConflict({ theirs }),
      onFailure: (failure) => setState({ kind: 'failed', reason: reasonOf(failure) }),
    });
  const [saver] = useState(() => (start === null ? null : begin(start)));
  const leave = useEffectEvent(() => {
    if (saver === null) return;
    const done = saver.flush();
    onLeave?.(done);
  });
  useEffect(() => () => leave(), []);
  return {
    saver,
    conflict,
    settle: (mine) => {
      if (conflict === null || saver === null) return null;
      const { theirs } = conflict;
      setConflict(null);
      setState({ kind: 'untouched' });
      if (theirs === null) {
        void saver.stop();
        return null;
      }
      saver.accept(theirs);
      if (mine !== null) saver.later(mine, 0);
      return theirs;
    },
  };
}
