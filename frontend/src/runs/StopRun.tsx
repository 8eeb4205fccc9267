import { askedOf, openOf, type Counts } from '@/api/runs';
import { ConfirmDialog } from '@/ui/Dialog';
import { count } from '@/ui/format';

/** Asks before a run is stopped, and says what is left open. */
export function StopRun({
  run,
  onStop,
  onClose,
}: {
  run: Counts;
  onStop: () => Promise<unknown>;
  onClose: () => void;
}) {
  return (
    <ConfirmDialog title="Stop this simulation?" action="Stop" onConfirm={onStop} onClose={onClose}>
      {count(run.successfulRequests)} of {count(askedOf(run))} answered; the rest is given up,{' '}
      {count(openOf(run))} credits come back. Continue asks the rest later, for as many credits.
    </ConfirmDialog>
  );
}
