import type { components } from '@/api/schema';
import type { Simulation } from '@/api/types';

/** Names of the kinds of answers that the twins of a run are asked for. */
export const answerModeNames: Record<components['schemas']['AnswerMode'], string> = {
  draw: 'One answer',
  stated: 'Probabilities that the twin states',
  tokens: 'Probabilities of letters, by the model server',
};

const CACHE = {
  twin: 'the twin’s text, with the schema of the answers in words after it',
  off: 'nothing',
} as const;

const APIS = { openai: null, anthropic: "Anthropic's Messages", gemini: "Google's generateContent" };

/** The API of the model if it is not the usual one, and the options that a run sets, each with its name and value for people. */
export function optionsOf({
  wire = 'openai',
  reasoningEffort,
  verbosity,
  serviceTier,
  answerMode,
  promptCache,
  draws,
}: Simulation['parameters']): [name: string, value: string][] {
  const all = [
    ['API', APIS[wire]],
    ['Reasoning effort', reasoningEffort],
    ['Verbosity', verbosity],
    ['Service tier', serviceTier],
    ['Asked for', answerMode == null || answerMode === 'draw' ? null : answerModeNames[answerMode]],
    ['Kept in the model server’s cache', promptCache == null ? null : CACHE[promptCache]],
    ['Answers per question', draws == null ? null : String(draws)],
  ] as const;
  return all.flatMap(([name, value]) => (value == null ? [] : [[name, value] as [string, string]]));
}
