import type { Simulation, SimulationStatus } from './types';

/** Rules on what a run's state allows: the only place of the front end that decides. */

const active: readonly SimulationStatus[] = ['PENDING', 'QUEUED', 'RUNNING', 'PAUSED'];

export const isActive = (status: SimulationStatus) => active.includes(status);
export const isMoving = (status: SimulationStatus) => isActive(status) && status !== 'PAUSED';
export const canPause = (status: SimulationStatus) => status === 'QUEUED' || status === 'RUNNING';
export const canResume = (status: SimulationStatus) => status === 'PAUSED';
export const canStop = (status: SimulationStatus) => isActive(status);
/** Answers so far can be seen once nothing more is being asked. */
export const hasResults = (status: SimulationStatus) => !isActive(status) || status === 'PAUSED';
export const isPartial = (status: SimulationStatus) => status === 'PAUSED' || status === 'STOPPED';

export const canRetry = ({ status, failedRequests }: Simulation) => !isActive(status) && failedRequests > 0;

/** The requests of a run or a study, by what became of them. The total contains those that the flow skips. */
export type Counts = Pick<
  Simulation,
  'totalRequests' | 'successfulRequests' | 'failedRequests' | 'skippedRequests'
>;

/** Requests that the flow does not skip. Every share of a run's progress is one of these. */
export const askedOf = ({ totalRequests, skippedRequests }: Counts) =>
  Math.max(0, totalRequests - skippedRequests);

/** The requests that were answered or have failed. */
export const settledOf = ({ successfulRequests, failedRequests }: Counts) =>
  successfulRequests + failedRequests;

/** The requests that were neither answered, nor have failed, nor were skipped. */
export const openOf = (counts: Counts) => Math.max(0, askedOf(counts) - settledOf(counts));

/** A number of requests in percent of what is asked, 0 to 100. A run of which all was skipped is done. */
export function percentOf(counts: Counts, requests = settledOf(counts)): number {
  const asked = askedOf(counts);
  if (asked === 0) return counts.totalRequests > 0 ? 100 : 0;
  return Math.min(100, (100 * requests) / asked);
}

/** The requests of several runs together. */
export function sumOf(runs: readonly Counts[]): Counts {
  const sum = (part: keyof Counts) => runs.reduce((all, run) => all + run[part], 0);
  return {
    totalRequests: sum('totalRequests'),
    successfulRequests: sum('successfulRequests'),
    failedRequests: sum('failedRequests'),
    skippedRequests: sum('skippedRequests'),
  };
}

export const canContinue = (run: Simulation) => run.status === 'STOPPED' && openOf(run) > 0;

/** Counters that claim more than was asked are out of step with the answers. */
export const countersAreOff = (run: Simulation) => settledOf(run) > askedOf(run);
