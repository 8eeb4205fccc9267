import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { isActive, isMoving } from '@/api/runs';
import { useSession } from '@/api/session';
import type { Simulation } from '@/api/types';
import { useTitlePrefix } from '@/ui/titleAndAddress';
import { isQuiet, takeEnd, watch } from './watched';

const POLL_MS = 5000;
/** Seconds that the news of an ended run stays: longer than an answer to a click. */
export const NEWS_SECONDS = 15;

/**
 * Follows the user's runs, also while the tab is hidden: puts how far they are, and that they are done, before the tab's
 * title, and calls `onEnd` with those that end.
 */
export function useRunWatch(onEnd?: (run: Simulation) => void): void {
  const user = useSession();
  const { data: runs } = useGet(
    '/api/simulations',
    { params: { query: { limit: 50 } } },
    {
      ...polling(POLL_MS, (latest) => latest?.some(({ status }) => isMoving(status)) ?? false),
      // Who looks at something else waits for exactly this.
      refreshWhenHidden: true,
    },
  );
  const own = runs?.filter(({ userId, simulationId }) => userId === user?.id && !isQuiet(simulationId));
  const [done, setDone] = useDone();
  const tell = useRef(onEnd);
  useLayoutEffect(() => {
    tell.current = onEnd;
  });
  useEffect(() => {
    for (const run of runs ?? []) {
      if (run.userId !== user?.id) continue;
      if (isActive(run.status)) watch(run.simulationId);
      else if (takeEnd(run.simulationId)) {
        setDone(true);
        tell.current?.(run);
      }
    }
  }, [runs, user, setDone]);
  const percent = percentOf(own?.filter(({ status }) => isMoving(status)) ?? []);
  useTitlePrefix(percent !== null ? `(${percent} %)` : done ? 'Done ·' : '');
}

/** How much of the runs is accounted for; `null` without any. */
function percentOf(runs: readonly Simulation[]): number | null {
  if (runs.length === 0) return null;
  const sum = (part: (run: Simulation) => number) => runs.reduce((all, run) => all + part(run), 0);
  const settled = sum(({ successfulRequests, failedRequests }) => successfulRequests + failedRequests);
  return Math.floor(
    (100 * settled) /
      Math.max(
        1,
        sum(({ totalRequests }) => totalRequests),
      ),
  );
}

/** Stays true until the tab has been looked at for as long as news stay. */
function useDone(): [boolean, (done: boolean) => void] {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(() => setDone(false), NEWS_SECONDS * 1000);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [done]);
  return [done, setDone];
}
