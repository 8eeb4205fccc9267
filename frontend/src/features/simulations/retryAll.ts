import type { Simulation } from '@/api/types';
import { shortId } from '@/runs/display';
import { retryFailed, retryRefused } from '@/runs/useRunActions';

/** Asks what failed in several runs again, one run after the other. */
export async function retryAll(runs: readonly Simulation[]): Promise<{ done: number; failed: string[] }> {
  const failed: string[] = [];
  for (const run of runs) {
    try {
      await retryFailed(run);
    } catch (error) {
      failed.push(`${retryRefused(error)} (${shortId(run.simulationId)})`);
    }
  }
  return { done: runs.length - failed.length, failed };
}
