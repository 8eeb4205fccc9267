import { Fragment } from 'react';
import { Progress } from 'antd';
import { isActive } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { answeredWords, rate, waitOf } from '@/runs/display';
import { useLiveProgress } from '@/runs/useLiveProgress';
import { count, duration } from '@/ui/format';

type Counts = Pick<Simulation, 'successfulRequests' | 'failedRequests' | 'totalRequests'>;

/** What of a run is answered, and after that what failed. */
function OutcomeBar({ counts, label }: { counts: Counts; label: string }) {
  const share = (n: number) => (counts.totalRequests === 0 ? 0 : (100 * n) / counts.totalRequests);
  const { successfulRequests, failedRequests } = counts;
  return (
    <Progress
      percent={Math.min(100, share(successfulRequests + failedRequests))}
      success={{ percent: Math.min(100, share(successfulRequests)), strokeColor: 'var(--brand)' }}
      strokeColor="var(--bad)"
      status="normal"
      showInfo={false}
      size="small"
      aria-label={label}
    />
  );
}

/** How a run that moves no more has ended. */
export function RunOutcome({ run }: { run: Simulation }) {
  return (
    <div className="run-progress">
      <OutcomeBar counts={run} label="Answered and failed" />
      <p className="muted">{answeredWords(run)}</p>
    </div>
  );
}

/** The progress of an active run, its rate and the time left. Polls while the run is not paused. */
export function RunProgress({ run, onEnd }: { run: Simulation; onEnd: () => void }) {
  const { progress, lost } = useLiveProgress(run, onEnd);
  if (!isActive(run.status)) return null;
  const done = (progress ?? run).successfulRequests + (progress ?? run).failedRequests;
  const failed = (progress ?? run).failedRequests;
  const wait = progress === undefined ? null : waitOf(progress);
  const figures = [
    `${count(done)} of ${count(run.totalRequests)}`,
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...(progress?.requestsPerSecond ? [`${rate(progress.requestsPerSecond)} per second`] : []),
    ...(progress?.etaSeconds ? [`${duration(progress.etaSeconds)} left`] : []),
  ];
  return (
    <div className="run-progress">
      <OutcomeBar counts={progress ?? run} label="Progress" />
      {lost !== null ? (
        <p className="muted">{lost}</p>
      ) : (
        <p className="muted">
          {figures.map((figure, index) => (
            <Fragment key={index}>
              <span>{index < figures.length - 1 ? `${figure},` : figure}</span>{' '}
            </Fragment>
          ))}
        </p>
      )}
      {lost === null && wait !== null && (
        <p className="muted" role="status">
          {`${wait.title}: ${wait.reason}`}
        </p>
      )}
    </div>
  );
}
