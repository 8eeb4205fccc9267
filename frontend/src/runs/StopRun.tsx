import { openOf } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { ConfirmDialog } from '@/ui/Dialog';
import { count } from '@/ui/format';

/** Asks before a run is stopped, and says what is left open. */
export function StopRun({
  run,
  onStop,
  onClose,
}: {
  run: Pick<Simulation, 'successfulRequests' | 'failedRequests' | 'totalRequests'>;
  onStop: () => Promise<unknown>;
  onClose: () => void;
}) {
  const { successfulRequests, totalRequests } = run;
  return (
    <ConfirmDialog title="Stop this simulation?" action="Stop" onConfirm={onStop} onClose={onClose}>
      {count(successfulRequests)} of {count(totalRequests)} answered; the rest is given up,{' '}
      {count(openOf(run))} credits come back. Continue asks the rest later, for as many credits.
    </ConfirmDialog>
  );
}
