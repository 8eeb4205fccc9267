import { useEffect, useEffectEvent } from 'react';
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
  const setOpen = useEffectEvent(onOpen);
  const change = useEffectEvent(onChange);
  useEffect(() => {
    if (!moves) return;
    const left = new AbortController();
    let due: ReturnType<typeof setTimeout> | undefined;
    const onEvent = () => {
      setOpen(true);
      due ??= setTimeout(() => {
        due = undefined;
        change();
      }, LIVE_MS);
    };
    const onEnd = () => {
      if (left.signal.aborted) return;
      setOpen(false);
      change();
    };
    readEvents(simulationId, onEvent, left.signal).then(onEnd, onEnd);
    return () => {
      left.abort();
      clearTimeout(due);
    };
  }, [simulationId, moves]);
}
