import { describe, expect, it } from 'vitest';
import type { Simulation } from '@/api/types';
import { config, run } from '@/testing/fixtures';
import { expectedSeconds, expectedText } from './duration';

/** A completed run of 100 twins and 1 question: 100 calls. */
const lasted = (seconds: number, changed: Partial<Simulation> = {}): Simulation => ({
  ...run,
  status: 'COMPLETED',
  attempt: 1,
  personaCount: 100,
  totalQuestions: 1,
  startedAt: '2026-01-01T00:00:00Z',
  completedAt: new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1000).toISOString(),
  parameters: { ...run.parameters, model: 'm', questionsPerCall: 20 },
  ...changed,
});
const load = { calls: 120, tokens: 60_000 };

describe('the time of a run', () => {
  it('is at least what the slowest of its limits takes', () => {
    const limits = { requestsPerMinute: 600, tokensPerMinute: 30_000, concurrency: 10, callSeconds: 3 };
    expect(expectedSeconds(load, { requestsPerMinute: 600 }, [], 'm')).toEqual({ low: 12, high: null });
    expect(expectedSeconds(load, limits, [], 'm')).toEqual({ low: 120, high: null });
    expect(expectedSeconds(load, { ...limits, tokensPerMinute: null }, [], 'm')?.low).toBe(36);
  });

  it('is about what the last runs of the model took per call', () => {
    const runs = [lasted(50), lasted(30), lasted(500), lasted(1, { attempt: 2 }), lasted(40)];
    // The median of 0.3, 0.4, 0.5 and 5 s a call.
    expect(expectedSeconds(load, {}, runs, 'm')).toEqual({ low: 54 * 0.75, high: 54 * 1.5 });
  });

  it('is not measured by other models, nor by runs that were stopped', () => {
    const runs = [
      lasted(50, { parameters: { ...run.parameters, model: 'other' } }),
      lasted(9, { status: 'STOPPED' }),
    ];
    expect(expectedSeconds(load, {}, runs, 'm')).toBeNull();
  });

  it('is never less than the limits, however quick the last runs were', () => {
    expect(expectedSeconds(load, { requestsPerMinute: 60 }, [lasted(1)], 'm')).toEqual({
      low: 120,
      high: 180,
    });
  });

  it('is shown as a range, no more precise than it is known', () => {
    expect(expectedText({ low: 41.3, high: 81 }, config)).toBe('40 s to 1 min 30 s');
    expect(expectedText({ low: 12, high: null }, config)).toBe('12 s or more');
    expect(expectedText({ low: 0.2, high: 0.4 }, config)).toBe('1 s');
  });
});
