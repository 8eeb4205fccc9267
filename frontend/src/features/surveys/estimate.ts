import type { SimulationConfig } from '@/api/types';

export interface Estimate {
  credits: number;
  calls: number;
  tokens: number;
  /** Null where the model server sets no limit. */
  seconds: number | null;
}

/** What a run will cost, before it starts. Unknown counts are taken as 1. */
export function estimate(config: SimulationConfig, personas: number): Estimate {
  const questions = Math.max(1, config.questionCount);
  const calls = personas * Math.ceil(questions / Math.max(1, config.questionsPerCall));
  const perMinute = config.requestsPerMinute;
  return {
    credits: personas * questions,
    calls,
    tokens: personas * config.tokensPerPersona,
    seconds: perMinute ? (calls / perMinute) * 60 : null,
  };
}
