import { useAll, usePage } from '@/api/hooks';
import { polling } from '@/api/polling';
import { isMoving } from '@/api/runs';
import type { Simulation } from '@/api/types';

const POLL_MS = 2000;
/** The most runs that are asked for again at once: a page of the API. */
const MAX_POLLED = 500;

/**
 * All runs of the user, or of everybody in a group. The list is read once; afterwards only its newest runs, down to the
 * oldest one that moves, are asked for again.
 */
export function useRuns(groupId: number | null) {
  const query = groupId === null ? {} : { groupId };
  const all = useAll('/api/simulations', groupId === null ? {} : { params: { query } });
  const moving = 1 + (all.data?.findLastIndex(({ status }) => isMoving(status)) ?? -1);
  const params = { query: { ...query, limit: Math.min(moving, MAX_POLLED), offset: 0 } };
  usePage(
    moving === 0 ? null : '/api/simulations',
    { params },
    {
      ...polling(POLL_MS, () => true),
      onSuccess: ({ rows }) => void all.mutate((known) => withNewest(known, rows), { revalidate: false }),
    },
  );
  return all;
}

/** The list with its newest runs as they are now. */
export function withNewest(known: readonly Simulation[] | undefined, newest: readonly Simulation[]) {
  const ids = new Set(newest.map(({ simulationId }) => simulationId));
  return [...newest, ...(known ?? []).filter(({ simulationId }) => !ids.has(simulationId))];
}
