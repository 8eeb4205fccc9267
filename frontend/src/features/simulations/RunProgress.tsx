import { Fragment, useEffect } from 'react';
import { Progress } from 'antd';
import { useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { isActive, isMoving } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { count, duration } from '@/ui/format';

const POLL_MS = 1000;

/** With a decimal below ten per second. */
const rate = (perSecond: number) => (perSecond < 10 ? perSecond.toFixed(1) : count(perSecond));

/** The progress of an active run, its rate and the time left. Polls while the run is not paused. */
export function RunProgress({ run, onEnd }: { run: Simulation; onEnd: () => void }) {
  const { data: progress } = useGet(
    isActive(run.status) ? '/api/simulations/{simulationId}/live-progress' : null,
    { params: { path: { simulationId: run.simulationId } } },
    polling(POLL_MS, () => isMoving(run.status)),
  );
  const status = progress?.simulationStatus;
  const changed = status !== undefined && status !== run.status;
  useEffect(() => {
    if (changed) onEnd();
  }, [changed, onEnd]);

  if (!isActive(run.status)) return null;
  const done = (progress ?? run).successfulRequests + (progress ?? run).failedRequests;
  const percent =
    progress?.progressPercentage ?? (run.totalRequests === 0 ? 0 : (100 * done) / run.totalRequests);
  const figures = [
    `${count(done)} of ${count(run.totalRequests)}`,
    ...(progress?.requestsPerSecond ? [`${rate(progress.requestsPerSecond)} per second`] : []),
    ...(progress?.etaSeconds ? [`${duration(progress.etaSeconds)} left`] : []),
  ];
  return (
    <div className="run-progress">
      <Progress percent={percent} showInfo={false} size="small" aria-label="Progress" />
      <p className="muted">
        {figures.map((figure, index) => (
          <Fragment key={index}>
            <span>{index < figures.length - 1 ? `${figure},` : figure}</span>{' '}
          </Fragment>
        ))}
      </p>
    </div>
  );
}
