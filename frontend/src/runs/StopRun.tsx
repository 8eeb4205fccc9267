import type { Simulation } from '@/api/types';
import { ConfirmDialog } from '@/ui/Dialog';
import { count } from '@/ui/format';

/** Asks before a run is stopped, which cannot be undone, and says what is given up. */
export function StopRun({
  run,
  onStop,
  onClose,
}: {
  run: Pick<Simulation, 'successfulRequests' | 'failedRequests' | 'totalRequests'>;
  onStop: () => Promise<unknown>;
  onClose: () => void;
}) {
  const { successfulRequests, failedRequests, totalRequests } = run;
  const open = Math.max(0, totalRequests - successfulRequests - failedRequests);
  return (
    <ConfirmDialog title="Stop this simulation?" action="Stop" onConfirm={onStop} onClose={onClose}>
      {count(successfulRequests)} of {count(totalRequests)} answered; the rest is given up, {count(open)}{' '}
      credits come back. A stopped simulation cannot go on.
    </ConfirmDialog>
  );
}
