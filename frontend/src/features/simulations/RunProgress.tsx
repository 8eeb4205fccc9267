import { Fragment } from 'react';
import { Progress } from 'antd';
import { askedOf, isActive, percentOf, settledOf, type Counts } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { answeredWords, rate, skippedWords, waitOf } from '@/runs/display';
import { useLiveProgress, type LiveProgress } from '@/runs/useLiveProgress';
import { count, duration } from '@/ui/format';

/** The bar of a run: the answered part, and after it the failed one. */
function OutcomeBar({ counts, label }: { counts: Counts; label: string }) {
  return (
    <Progress
      percent={percentOf(counts)}
      success={{ percent: percentOf(counts, counts.successfulRequests), strokeColor: 'var(--brand)' }}
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
    <div className="run-progress tiny long-word">
      <OutcomeBar counts={run} label="Answered and failed" />
      <p className="muted">{answeredWords(run)}</p>
    </div>
  );
}

/** The progress of an active run, its rate and the time left. Polls while the run is not paused. */
export function RunProgress({ run, onEnd }: { run: Simulation; onEnd: () => void }) {
  return <KnownProgress run={run} live={useLiveProgress(run, onEnd)} />;
}

/** {@link RunProgress} of what somebody else asks for. */
export function KnownProgress({ run, live: { progress, lost } }: { run: Simulation; live: LiveProgress }) {
  if (!isActive(run.status)) return null;
  const counts = progress ?? run;
  const failed = counts.failedRequests;
  const wait = progress === undefined ? null : waitOf(progress);
  const figures = [
    `${count(settledOf(counts))} of ${count(askedOf(counts))}`,
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...skippedWords(counts),
    ...(progress?.requestsPerSecond ? [`${rate(progress.requestsPerSecond)} per second`] : []),
    ...(progress?.etaSeconds ? [`${duration(progress.etaSeconds)} left`] : []),
  ];
  return (
    <div className="run-progress tiny long-word">
      <OutcomeBar counts={counts} label="Progress" />
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
