import { useEffect, useState } from 'react';
import { useGet } from '@/api/hooks';
import { mayPass, polling } from '@/api/polling';
import { isActive, isMoving } from '@/api/runs';
import type { Progress, Simulation } from '@/api/types';
import { useSilence } from './useSilence';

const POLL_MS = 1000;

/** The progress of an active run, and its age. */
export interface LiveProgress {
  progress: Progress | undefined;
  /** `Last update 12 s ago, reconnecting` while no answer comes; else null. */
  lost: string | null;
  /** Until when the clocks of the run are true: the time of the last answer while none comes, else undefined. */
  frozenAt: number | undefined;
}

/**
 * The progress of an active run, asked for while it is not paused. `onChange` is called once the run is in another state
 * than the page knows.
 */
export function useLiveProgress(run: Simulation, onChange: () => void): LiveProgress {
  const [answeredAt, setAnsweredAt] = useState(() => Date.now());
  const moving = isMoving(run.status);
  const { data: progress, error } = useGet(
    isActive(run.status) ? '/api/simulations/{simulationId}/live-progress' : null,
    { params: { path: { simulationId: run.simulationId } } },
    {
      ...polling(POLL_MS, () => moving),
      // The browser's word on being online is not always right, and an answer is a better sign.
      refreshWhenOffline: true,
      onSuccess: () => setAnsweredAt(Date.now()),
    },
  );
  const status = progress?.simulationStatus;
  const changed = status !== undefined && status !== run.status;
  useEffect(() => {
    if (changed) onChange();
  }, [changed, onChange]);
  const lost = useSilence(answeredAt, moving, error !== undefined && mayPass(error));
  return { progress, lost, frozenAt: lost === null ? undefined : answeredAt };
}
