import type { Answer } from '@/api/client';
import { useGet } from '@/api/hooks';
import { live } from '@/api/live';
import { isMoving } from '@/api/runs';
import type { Simulation } from '@/api/types';

const FACTS = '/api/simulations/{simulationId}';

/** All that is known of a run. */
export type Facts = Answer<typeof FACTS, 'get'>;

export const useFacts = (run: Simulation, wanted = true) =>
  useGet(
    wanted ? FACTS : null,
    { params: { path: { simulationId: run.simulationId } } },
    { ...live<Facts>(isMoving(run.status)), keepPreviousData: true },
  );

/** {@link useFacts} of a run that costs money; `undefined` where its model's price was not known at its start. */
export function useCost(run: Simulation): Facts | undefined {
  const { data: facts } = useFacts(run, run.parameters.price != null);
  return facts?.cost == null ? undefined : facts;
}

/** Whether its calls have cost what they may: it does not go on before the cap is raised. */
export const isCapped = ({ cost, maxCost }: Pick<Facts, 'cost' | 'maxCost'>) =>
  cost != null && maxCost != null && Number(cost.amount) >= Number(maxCost.amount);
