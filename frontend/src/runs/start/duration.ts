import type { Simulation, SimulationConfig } from '@/api/types';
import { duration } from '@/ui/format';

/** Seconds; without `high` nothing is known of how much longer it may take. */
export interface Expected {
  low: number;
  high: number | null;
}

/** The upper bounds of the speed of a run, where they are known. */
export interface Limits {
  requestsPerMinute?: number | null;
  tokensPerMinute?: number | null;
  /** Calls at a time. */
  concurrency?: number | null;
  /** Seconds that a call takes. */
  callSeconds?: number | null;
}

/** The range around the median of similar runs, as factors: their median is off by that much now and then. */
const SLOWER = 1.5;
const FASTER = 0.75;
const LAST_RUNS = 5;

/**
 * How long a run takes: no less than its limits say, about as long as the last completed runs of the same model took per
 * call. `null` where neither is known. `runs` are the newest first.
 */
export function expectedSeconds(
  { calls, tokens }: { calls: number; tokens: number },
  limits: Limits,
  runs: readonly Simulation[],
  model: string,
): Expected | null {
  const { requestsPerMinute, tokensPerMinute, concurrency, callSeconds } = limits;
  const least = Math.max(
    requestsPerMinute ? (calls / requestsPerMinute) * 60 : 0,
    tokensPerMinute ? (tokens / tokensPerMinute) * 60 : 0,
    concurrency && callSeconds ? (calls * callSeconds) / concurrency : 0,
  );
  const pace = median(
    runs
      .filter((run) => run.parameters.model === model)
      .map(secondsPerCall)
      .filter((seconds) => seconds !== null)
      .slice(0, LAST_RUNS),
  );
  if (pace === null) return least > 0 ? { low: least, high: null } : null;
  const likely = Math.max(least, pace * calls);
  return { low: Math.max(least, likely * FASTER), high: likely * SLOWER };
}

/** `null` unless it was completed at the first pass. */
function secondsPerCall(run: Simulation): number | null {
  const { startedAt, completedAt, personaCount, totalQuestions, parameters } = run;
  if (run.status !== 'COMPLETED' || run.attempt !== 1 || !startedAt || !completedAt) return null;
  const seconds = (Date.parse(completedAt) - Date.parse(startedAt)) / 1000;
  const calls = callsOf(personaCount, totalQuestions, parameters.questionsPerCall);
  return seconds > 0 && calls > 0 ? seconds / calls : null;
}

export const callsOf = (personas: number, questions: number, questionsPerCall: number) =>
  personas * Math.ceil(questions / Math.max(1, questionsPerCall));

function median(values: number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** `45 s to 1 min 30 s`. */
export function expectedText(expected: Expected | null, { demoModel }: SimulationConfig): string {
  if (expected === null) return demoModel ? 'under a minute' : 'up to the model server';
  if (expected.high === null) return `${duration(expected.low)} or more`;
  const [low, high] = [duration(rounded(expected.low)), duration(rounded(expected.high))];
  return low === high ? low : `${low} to ${high}`;
}

/** No more precise than an estimate is. */
function rounded(seconds: number): number {
  const step = seconds < 20 ? 1 : seconds < 60 ? 5 : seconds < 600 ? 30 : 60;
  return Math.max(1, Math.round(seconds / step) * step);
}
