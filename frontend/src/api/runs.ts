import type { Simulation, SimulationStatus } from './types';

/** What a run's state allows: the only place of the front end that decides. */

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

/** What a run neither answered nor failed to answer. */
export const openOf = ({
  totalRequests,
  successfulRequests,
  failedRequests,
}: Pick<Simulation, 'totalRequests' | 'successfulRequests' | 'failedRequests'>) =>
  Math.max(0, totalRequests - successfulRequests - failedRequests);

export const canContinue = (run: Simulation) => run.status === 'STOPPED' && openOf(run) > 0;

/** Counters that claim more than was asked are out of step with the answers. */
export const countersAreOff = ({ successfulRequests, failedRequests, totalRequests }: Simulation) =>
  successfulRequests + failedRequests > totalRequests;
