import { messageOf } from '@/api/client';
import type { Simulation } from '@/api/types';
import { shortId } from '@/runs/display';
import { retryFailed } from '@/runs/useRunActions';

/** Asks what failed in several runs again, one run after the other. */
export async function retryAll(runs: readonly Simulation[]): Promise<{ done: number; failed: string[] }> {
  const failed: string[] = [];
  for (const run of runs) {
    try {
      await retryFailed(run);
    } catch (error) {
      const reason = messageOf(error, error instanceof Error ? error.message : 'Unknown error occurred');
      failed.push(`Failed to retry failed requests: ${reason} (${shortId(run.simulationId)})`);
    }
  }
  return { done: runs.length - failed.length, failed };
}
