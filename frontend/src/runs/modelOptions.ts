import type { Simulation } from '@/api/types';

/** The options of the model that a run sets, each with its name and value for people. */
export function optionsOf({
  reasoningEffort,
  verbosity,
  serviceTier,
}: Simulation['parameters']): [name: string, value: string][] {
  const all = [
    ['Reasoning effort', reasoningEffort],
    ['Verbosity', verbosity],
    ['Service tier', serviceTier],
  ] as const;
  return all.flatMap(([name, value]) => (value == null ? [] : [[name, value] as [string, string]]));
}
