import type { SimulationConfig } from '@/api/types';

/** A twin's profile in its short form, as most models count it. */
const PROFILE_TOKENS = 4000;
/** One question with its options, and its answer. */
const QUESTION_TOKENS = 90;

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
  const tokens = calls * PROFILE_TOKENS + personas * questions * QUESTION_TOKENS;
  const perMinute = config.requestsPerMinute;
  return {
    credits: personas * questions,
    calls,
    tokens,
    seconds: perMinute ? (calls / perMinute) * 60 : null,
  };
}
