import type { Simulation, SimulationStatus } from '@/api/types';
import type { Tone } from '@/ui/Badge';
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

export const labels: Record<DisplayStatus, { text: string; tone: Tone }> = {
  completed: { text: 'Completed', tone: 'good' },
  processing: { text: 'Processing...', tone: 'brand' },
  pending: { text: 'Pending', tone: 'plain' },
  queued: { text: 'Queued', tone: 'plain' },
  failed: { text: 'Failed', tone: 'bad' },
  paused: { text: 'Paused', tone: 'warn' },
  stopped: { text: 'Stopped', tone: 'warn' },
};

/** Unknown or missing states count as completed. */
export function displayOf(status: string | null | undefined): DisplayStatus {
  return displays[status as SimulationStatus] ?? 'completed';
}

/** A run that has accounted for every request is over, whatever its state says yet. */
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
    return run.errorMessage
      ? 'All requests eventually succeeded after retry'
      : 'All requests completed successfully on first attempt';
  }
  if (display === 'processing') return 'Simulation is currently running...';
  return run.errorMessage ?? '';
}

export const shortId = (simulationId: string) => simulationId.slice(-8);

/** How long it took, or has been taking; `null` before it started. */
export function elapsed({ startedAt, completedAt }: Simulation, now = Date.now()): string | null {
  if (startedAt == null) return null;
  return duration(((completedAt == null ? now : Date.parse(completedAt)) - Date.parse(startedAt)) / 1000);
}

/** Survey title, simulation id and status, in any case. */
export function matches(run: Simulation, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [run.surveyTitle, run.simulationId, run.status, labels[displayOf(run.status)].text].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}
