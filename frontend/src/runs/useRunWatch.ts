import { useEffect, useEffectEvent, useState } from 'react';
import { useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { isActive, isMoving, percentOf, sumOf } from '@/api/runs';
import { useSession } from '@/api/session';
import type { Simulation } from '@/api/types';
import { useTitlePrefix } from '@/ui/titleAndAddress';
import { isMuted, isRetried, consumeEndNotice, watch } from './watched';

const POLL_MS = 5000;
/** Seconds that the news of an ended run stays: longer than an answer to a click. */
export const NEWS_SECONDS = 15;

/**
 * Follows the user's runs, also while the tab is hidden: puts how far they are, and that they are done, before the tab's
 * title. Calls `onEnd` with each run that ends, and with all runs of a study once the last of them has ended; `retried`:
 * somebody had its failed requests asked again here. That end is reported for runs of others, too.
 */
export function useRunWatch(onEnd?: (runs: Ended, retried: boolean) => void): void {
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
  const own = runs?.filter(({ userId, simulationId }) => userId === user?.id && !isMuted(simulationId));
  const [done, setDone] = useDone();
  const announce = useEffectEvent((runs: Ended, retried: boolean) => onEnd?.(runs, retried));
  useEffect(() => {
    const own = runs?.filter(({ userId, simulationId }) => userId === user?.id || isRetried(simulationId));
    for (const together of startedTogether(own ?? [])) {
      const active = together.filter(({ status }) => isActive(status));
      for (const { simulationId } of active) watch(simulationId);
      if (active.length > 0) continue;
      const news = together
        .map(({ simulationId }) => consumeEndNotice(simulationId))
        .filter((end) => end !== null);
      if (news.length === 0) continue;
      setDone(true);
      announce(together, news.includes('retry'));
    }
  }, [runs, user, setDone]);
  const moving = own?.filter(({ status }) => isMoving(status)) ?? [];
  const percent = moving.length === 0 ? null : Math.floor(percentOf(sumOf(moving)));
  useTitlePrefix(percent !== null ? `(${percent} %)` : done ? 'Done ·' : '');
}

/** A run alone, or the runs of one study. */
export type Ended = readonly [Simulation, ...Simulation[]];

/** The runs of each study together, and every other run alone. */
function startedTogether(runs: readonly Simulation[]): Ended[] {
  const all = new Map<string, [Simulation, ...Simulation[]]>();
  for (const run of runs) {
    const key = run.studyId ?? run.simulationId;
    const others = all.get(key);
    if (others === undefined) all.set(key, [run]);
    else others.push(run);
  }
  return [...all.values()];
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
