import { askedOf, openOf, type Counts } from '@/api/runs';
import type { Progress, Simulation, SimulationStatus } from '@/api/types';
import { count, duration, timeWithSeconds } from '@/ui/format';

export type DisplayStatus =
  'completed' | 'processing' | 'pending' | 'queued' | 'failed' | 'paused' | 'stopped';

const displays: Record<SimulationStatus, DisplayStatus> = {
  PENDING: 'pending',
  QUEUED: 'queued',
  RUNNING: 'processing',
  PAUSED: 'paused',
  STOPPED: 'stopped',
  COMPLETED: 'completed',
  FAILED: 'failed',
};

/** The name of the model that answered, as every page calls it. */
export const modelName = (demoModel: boolean, model: string): string => (demoModel ? 'demo model' : model);

/** A colour of antd's tags. */
type TagColor = 'success' | 'processing' | 'default' | 'error' | 'warning';

export const labels: Record<DisplayStatus, { text: string; color: TagColor }> = {
  completed: { text: 'Completed', color: 'success' },
  processing: { text: 'Processing...', color: 'processing' },
  pending: { text: 'Pending', color: 'default' },
  queued: { text: 'Queued', color: 'default' },
  failed: { text: 'Failed', color: 'error' },
  paused: { text: 'Paused', color: 'warning' },
  stopped: { text: 'Stopped', color: 'warning' },
};

/** Unknown or missing states count as completed. */
export function displayOf(status: string | null | undefined): DisplayStatus {
  return displays[status as SimulationStatus] ?? 'completed';
}

/** A run with every request accounted for has ended, even while its status is still RUNNING. */
export function settledDisplay(run: Simulation): DisplayStatus {
  if (run.status === 'RUNNING' && run.totalRequests > 0 && openOf(run) === 0) {
    return run.failedRequests > 0 ? 'failed' : 'completed';
  }
  return displayOf(run.status);
}

export function outcomeOf(run: Simulation): string {
  const display = settledDisplay(run);
  if (display === 'completed') {
    return run.errorMessage || run.attempt > 1
      ? 'All requests eventually succeeded after retry'
      : 'All requests completed successfully on first attempt';
  }
  if (display === 'processing') return 'Simulation is currently running...';
  // While failed requests are asked again, the message tells of what is not failed any more.
  const isTrue = display === 'failed' || display === 'paused' || run.failedRequests > 0;
  return (isTrue ? run.errorMessage : null) ?? '';
}

export const shortId = (simulationId: string) => simulationId.slice(-8);

/** How long the run took, or has taken until now; `null` before it started. */
export function elapsed({ startedAt, completedAt }: Simulation, now = Date.now()): string | null {
  if (startedAt == null) return null;
  return duration(((completedAt == null ? now : Date.parse(completedAt)) - Date.parse(startedAt)) / 1000);
}

/** Whether the name, survey, id, status, group, starter or model of a run contains the text, in any case. */
export function matches(run: Simulation, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [
    run.name ?? '',
    run.surveyTitle,
    run.simulationId,
    run.status,
    labels[displayOf(run.status)].text,
    run.groupName,
    run.startedBy ?? '',
    run.parameters.model,
  ].some((text) => text.toLowerCase().includes(wanted));
}

const inOrder: readonly DisplayStatus[] = [
  'processing',
  'queued',
  'pending',
  'paused',
  'completed',
  'failed',
  'stopped',
];

/** How many runs there are of each status that some are in, in the order of a run's life. */
export function statuses(runs: readonly Simulation[]): { status: DisplayStatus; n: number }[] {
  return inOrder
    .map((status) => ({ status, n: runs.filter((run) => displayOf(run.status) === status).length }))
    .filter(({ n }) => n > 0);
}

/** Answers per second, with a decimal below ten. */
export const rate = (perSecond: number): string => (perSecond < 10 ? perSecond.toFixed(1) : count(perSecond));

/** `997 of 1,000 answered, 3 failed, 40 skipped by the flow, free`. */
export function answeredWords(counts: Counts): string {
  const { successfulRequests, failedRequests } = counts;
  return [
    `${count(successfulRequests)} of ${count(askedOf(counts))} answered`,
    ...(failedRequests > 0 ? [`${count(failedRequests)} failed`] : []),
    ...skippedWords(counts),
  ].join(', ');
}

/** `40 skipped by the flow, free`; nothing where nothing was skipped. */
export const skippedWords = ({ skippedRequests }: Pick<Counts, 'skippedRequests'>): string[] =>
  skippedRequests > 0 ? [`${count(skippedRequests)} skipped by the flow, free`] : [];

/** Until when a run waits, and why; `null` while it does not wait. */
export function waitOf({
  status,
  waitingUntil,
  waitingReason,
  batchProgress,
}: Pick<Progress, 'status' | 'waitingUntil' | 'waitingReason' | 'batchProgress'>): {
  title: string;
  reason: string;
} | null {
  if (waitingUntil == null && waitingReason == null) return null;
  if (batchProgress != null) return { title: 'Waiting for a batch', reason: waitingReason ?? '' };
  const begun = status === 'QUEUED' ? 'Waiting to begin' : 'Waiting for the model server';
  const title =
    waitingUntil == null ? begun : `Waiting for the model server until ${timeWithSeconds(waitingUntil)}`;
  return { title, reason: waitingReason ?? '' };
}
