import type { SimulationConfig } from '@/api/types';

/** The models that a run may name, each with its server if the installation names several servers. */
export function modelChoices({ models, modelServers = {} }: SimulationConfig) {
  return models.map((value) => {
    const server = modelServers[value];
    const named = server === undefined || value.startsWith(`${server}/`);
    return { value, label: named ? value : `${value} (${server})` };
  });
}
