import { useState, type ReactNode } from 'react';
import { Alert, Button, Tag } from 'antd';
import { askedOf, isActive, isMoving, openOf, percentOf, settledOf } from '@/api/runs';
import type { Progress, Simulation } from '@/api/types';
import { elapsed, labels, rate, settledDisplay, skippedWords, waitOf } from '@/runs/display';
import type { LiveProgress } from '@/runs/useLiveProgress';
import { count, dateAndTime, duration, timeOfDay } from '@/ui/format';
import { Help } from '@/ui/Help';
import { Cost } from './Cost';
import { Figure } from './Figure';

/** How far a run is: what was answered, what failed, what waits, and when it will be done. */
export function RunPanel({
  run,
  live,
  actions,
}: {
  run: Simulation;
  live: LiveProgress;
  actions: ReactNode;
}) {
  const active = isActive(run.status);
  const { lost, frozenAt } = live;
  const progress = active ? live.progress : undefined;
  const counts = progress ?? run;
  const { successfulRequests: answered, failedRequests: failed } = counts;
  const open = openOf(counts);
  const inFlight = requestsInFlight(run, progress?.inFlight ?? 0, open);
  const waiting = open - inFlight;
  const percent = Math.floor(percentOf(counts));
  const { text, color } = labels[settledDisplay(run)];
  const took = elapsed(run, frozenAt);
  const wait = active && progress !== undefined ? waitOf(progress) : null;
  return (
    <section className="panel card stack gap-3" aria-label="Progress">
      <div className="run-panel-head row between">
        <p className="run-panel-done">
          <strong>{percent} %</strong> {count(settledOf(counts))} of {count(askedOf(counts))} requests
          <Help term="requests" />{' '}
          <Tag color={color} className={run.status === 'RUNNING' ? 'pulsing' : ''}>
            {text}
          </Tag>
        </p>
        {active && <p className="run-panel-left">{lost === null ? timeLeft(run, progress) : null}</p>}
      </div>
      <div className="run-bar" role="progressbar" aria-label="Requests" aria-valuenow={percent}>
        <span className="run-bar-answered" style={{ flexGrow: answered }} />
        <span className="run-bar-failed" style={{ flexGrow: failed }} />
        <span className="run-bar-flight" style={{ flexGrow: inFlight }} />
        <span style={{ flexGrow: waiting }} />
      </div>
      <ul className="run-bar-legend row list muted">
        <li className="run-bar-answered">
          <strong>{count(answered)}</strong> answered
        </li>
        <li className="run-bar-failed">
          <strong>{count(failed)}</strong> failed
        </li>
        {active && (
          <li className="run-bar-flight">
            <strong>{count(inFlight)}</strong> in flight
          </li>
        )}
        <li>
          <strong>{count(waiting)}</strong> {active ? 'waiting' : 'not asked'}
        </li>
        {skippedWords(counts).map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      {lost !== null && isMoving(run.status) && (
        <p className="run-lost" role="status">
          {lost}
        </p>
      )}
      {progress?.errorMessage && <Alert type="warning" role="status" title={progress.errorMessage} />}
      {wait !== null && <Alert type="warning" role="status" title={wait.title} description={wait.reason} />}
      <dl className="run-figures facts stack">
        {active && (
          <>
            <Figure
              name="Rate"
              value={progress?.requestsPerSecond && lost === null ? rate(progress.requestsPerSecond) : '–'}
            >
              answers per second
            </Figure>
            <Figure name="In flight" value={progress === undefined ? '–' : count(progress.inFlight)}>
              calls to the model
            </Figure>
          </>
        )}
        <Figure name={active ? 'Running for' : 'Took'} value={took ?? '–'}>
          {run.startedAt ? `started ${dateAndTime(run.startedAt)}` : 'not started yet'}
        </Figure>
        <Figure name="Failed" value={count(failed)}>
          {settledOf(counts) > 0
            ? `${((100 * failed) / settledOf(counts)).toFixed(1)} % of requests`
            : 'of none'}
        </Figure>
        <Figure name="Credits" value={count(answered)}>
          {active && open > 0 ? `used, ${count(open)} held` : 'used; failed requests cost nothing'}
        </Figure>
        <Cost run={run} />
        <Figure name="Started by" value={run.startedBy ?? `User ${run.userId}`}>
          in {run.groupName}
        </Figure>
      </dl>
      <div className="row-actions">
        {actions}
        {isMoving(run.status) && <NotifyButton />}
      </div>
    </section>
  );
}

/**
 * The requests of calls under way. A call asks its share of a twin's questions, and fewer where some are asked again: the
 * count is rounded, and never more than what is open.
 */
function requestsInFlight({ totalQuestions, parameters }: Simulation, calls: number, open: number): number {
  const callsPerTwin = Math.ceil(totalQuestions / Math.max(1, parameters.questionsPerCall));
  return Math.min(open, Math.round((calls * totalQuestions) / Math.max(1, callsPerTwin)));
}

function timeLeft(run: Simulation, progress: Progress | undefined): string {
  if (run.status === 'PAUSED') return 'Paused';
  // The rate says nothing: answers come all at once.
  if (run.parameters.batch && run.status === 'RUNNING') return 'Done within a day';
  if (!progress?.etaSeconds) return run.status === 'RUNNING' ? 'Time left not known yet' : 'Waiting to start';
  const done = new Date(Date.now() + progress.etaSeconds * 1000);
  return `About ${duration(progress.etaSeconds)} left · done near ${timeOfDay(done)}`;
}

/** Asks the browser whether it may tell of the end; nothing is asked before a click. */
function NotifyButton() {
  const [permission, setPermission] = useState(() =>
    'Notification' in window ? Notification.permission : 'denied',
  );
  if (permission !== 'default') return null;
  return (
    <Button type="text" onClick={() => void Notification.requestPermission().then(setPermission)}>
      Notify me when it ends
    </Button>
  );
}
