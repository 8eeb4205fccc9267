import type { Simulation } from '@/api/types';

const APIS = { openai: null, anthropic: "Anthropic's Messages", gemini: "Google's generateContent" };

/** The API of the model if it is not the usual one, and the options that a run sets, each with its name and value for people. */
export function optionsOf({
  wire = 'openai',
  reasoningEffort,
  verbosity,
  serviceTier,
}: Simulation['parameters']): [name: string, value: string][] {
  const all = [
    ['API', APIS[wire]],
    ['Reasoning effort', reasoningEffort],
    ['Verbosity', verbosity],
    ['Service tier', serviceTier],
  ] as const;
  return all.flatMap(([name, value]) => (value == null ? [] : [[name, value] as [string, string]]));
}
