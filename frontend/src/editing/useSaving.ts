import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { failed } from '@/api/client';

/** What has to rest before it is saved. */
const REST_MS = 1000;

type Saving =
  { kind: 'nothing' } | { kind: 'saving' } | { kind: 'saved'; at: Date } | { kind: 'failed'; reason: string };

/** Saves a draft when the typing rests, when its page is left, and at once when asked: one call at a time. */
export function useSaving(write: () => Promise<unknown>) {
  const [state, setState] = useState<Saving>({ kind: 'nothing' });
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const running = useRef(Promise.resolve(true));
  const latest = useRef(write);
  useLayoutEffect(() => {
    latest.current = write;
  });
  /** Resolves to whether it was saved. */
  const now = useCallback((): Promise<boolean> => {
    clearTimeout(waiting.current);
    waiting.current = undefined;
    const save = async () => {
      setState({ kind: 'saving' });
      try {
        await latest.current();
        setState({ kind: 'saved', at: new Date() });
        return true;
      } catch (failure) {
        setState({ kind: 'failed', reason: failed('Failed to save the plan', failure) });
        return false;
      }
    };
    running.current = running.current.then(save);
    return running.current;
  }, []);
  const later = useCallback(() => {
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => void now(), REST_MS);
  }, [now]);
  useEffect(
    () => () => {
      if (waiting.current !== undefined) void now();
    },
    [now],
  );
  return { state, now, later };
}
