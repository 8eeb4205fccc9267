import { useEffect, useState } from 'react';
import { useGet } from '@/api/hooks';
import { mayPass, polling } from '@/api/polling';
import { isActive, isMoving } from '@/api/runs';
import type { Progress, Simulation } from '@/api/types';
import { duration } from '@/ui/format';

const POLL_MS = 1000;

/**
 * The progress of an active run, asked for while it is not paused. `lost` says how long ago the last news came while none
 * comes: `Last update 12 s ago, reconnecting`. `onChange` is called once the run is in another state than the page knows.
 */
export function useLiveProgress(
  run: Simulation,
  onChange: () => void,
): { progress: Progress | undefined; lost: string | null } {
  const [answered, setAnswered] = useState(() => Date.now());
  const [failed, setFailed] = useState(0);
  const { data: progress, error } = useGet(
    isActive(run.status) ? '/api/simulations/{simulationId}/live-progress' : null,
    { params: { path: { simulationId: run.simulationId } } },
    {
      ...polling(POLL_MS, () => isMoving(run.status)),
      onSuccess: () => setAnswered(Date.now()),
      onError: () => setFailed(Date.now()),
    },
  );
  const status = progress?.simulationStatus;
  const changed = status !== undefined && status !== run.status;
  useEffect(() => {
    if (changed) onChange();
  }, [changed, onChange]);
  const lost =
    error !== undefined && mayPass(error)
      ? `Last update ${duration(Math.max(0, failed - answered) / 1000)} ago, reconnecting`
      : null;
  return { progress, lost };
}
