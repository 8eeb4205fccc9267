import { describe, expect, it } from 'vitest';
import type { Simulation } from '@/api/types';
import { run as aRun } from '@/testing/fixtures';
import { displayOf, matches, outcomeOf, settledDisplay } from './display';

const run: Simulation = {
  ...aRun,
  surveyTitle: 'Energy at Home',
  status: 'RUNNING',
  successfulRequests: 4,
};

describe('a run', () => {
  it('shows unknown and missing states as completed', () => {
    expect([displayOf('ODD'), displayOf(null)]).toEqual(['completed', 'completed']);
  });

  it('that has accounted for every request is over', () => {
    expect(settledDisplay(run)).toBe('processing');
    expect(settledDisplay({ ...run, successfulRequests: 10 })).toBe('completed');
    expect(settledDisplay({ ...run, successfulRequests: 9, failedRequests: 1 })).toBe('failed');
  });

  it('tells its outcome', () => {
    const done = { ...run, status: 'COMPLETED', successfulRequests: 10 } as const;
    expect(outcomeOf(run)).toBe('Simulation is currently running...');
    expect(outcomeOf(done)).toBe('All requests completed successfully on first attempt');
    expect(outcomeOf({ ...done, errorMessage: 'again' })).toBe(
      'All requests eventually succeeded after retry',
    );
    expect(outcomeOf({ ...run, status: 'FAILED', errorMessage: '2 refused' })).toBe('2 refused');
  });

  it('is found by survey, id and status in any case', () => {
    expect(['energy', '4D5E6F', 'running', 'processing'].every((search) => matches(run, search))).toBe(true);
    expect(matches(run, 'completed')).toBe(false);
  });
});
