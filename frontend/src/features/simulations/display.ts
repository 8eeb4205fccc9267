import type { Simulation, SimulationStatus } from '@/api/types';
import { duration } from '@/ui/format';

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

/** Of antd's tags. */
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
export function settledDisplay({
  status,
  successfulRequests,
  failedRequests,
  totalRequests,
}: Simulation): DisplayStatus {
  if (status === 'RUNNING' && totalRequests > 0 && successfulRequests + failedRequests >= totalRequests) {
    return failedRequests > 0 ? 'failed' : 'completed';
  }
  return displayOf(status);
}

export function outcomeOf(run: Simulation): string {
  const display = settledDisplay(run);
  if (display === 'completed') {
    return run.errorMessage || run.attempt > 1
      ? 'All requests eventually succeeded after retry'
      : 'All requests completed successfully on first attempt';
  }
  if (display === 'processing') return 'Simulation is currently running...';
  return run.errorMessage ?? '';
}

export const shortId = (simulationId: string) => simulationId.slice(-8);

/** How long the run took, or has taken until now; `null` before it started. */
export function elapsed({ startedAt, completedAt }: Simulation, now = Date.now()): string | null {
  if (startedAt == null) return null;
  return duration(((completedAt == null ? now : Date.parse(completedAt)) - Date.parse(startedAt)) / 1000);
}

/** Whether the survey title, simulation id or status contains the text, in any case. */
export function matches(run: Simulation, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [run.surveyTitle, run.simulationId, run.status, labels[displayOf(run.status)].text].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}
