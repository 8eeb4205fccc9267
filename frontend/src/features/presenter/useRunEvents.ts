import { useEffect, useLayoutEffect, useRef } from 'react';
import { readEvents } from '@/api/events';
import { LIVE_MS } from '@/api/live';

/**
 * Calls `onChange` when the event stream of a run that moves says that something changed, at most every two seconds, and once
 * the stream has ended. `onOpen` gets whether there is a stream: without one the page has to ask by itself.
 */
export function useRunEvents(
  simulationId: string,
  moves: boolean,
  onOpen: (open: boolean) => void,
  onChange: () => void,
): void {
  const newest = useRef({ onOpen, onChange });
  useLayoutEffect(() => {
    newest.current = { onOpen, onChange };
  });
  useEffect(() => {
    if (!moves) return;
    const left = new AbortController();
    let due: ReturnType<typeof setTimeout> | undefined;
    const onEvent = () => {
      newest.current.onOpen(true);
      due ??= setTimeout(() => {
        due = undefined;
        newest.current.onChange();
      }, LIVE_MS);
    };
    const onEnd = () => {
      if (left.signal.aborted) return;
      newest.current.onOpen(false);
      newest.current.onChange();
    };
    readEvents(simulationId, onEvent, left.signal).then(onEnd, onEnd);
    return () => {
      left.abort();
      clearTimeout(due);
    };
  }, [simulationId, moves]);
}
