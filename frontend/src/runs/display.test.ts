import { describe, expect, it } from 'vitest';
import type { Simulation } from '@/api/types';
import { run as aRun } from '@/testing/fixtures';
import { answeredWords, displayOf, matches, outcomeOf, settledDisplay, statuses } from './display';

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

  it('is over when all that the flow did not skip is accounted for', () => {
    const routed = { ...run, skippedRequests: 6 };
    expect(settledDisplay(routed)).toBe('completed');
    expect(settledDisplay({ ...routed, skippedRequests: 5 })).toBe('processing');
  });

  it('says nothing of what failed before while that is asked again', () => {
    const again = { ...run, status: 'QUEUED', errorMessage: '41 of 13,500 requests failed' } as const;
    expect(outcomeOf(again)).toBe('');
    expect(outcomeOf({ ...again, failedRequests: 1 })).toBe('41 of 13,500 requests failed');
    expect(outcomeOf({ ...again, status: 'PAUSED', errorMessage: 'Incorrect API key' })).toBe(
      'Incorrect API key',
    );
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

  it('is counted among those of its status', () => {
    const done = { ...run, status: 'COMPLETED' } as const;
    expect(statuses([done, run, done])).toEqual([
      { status: 'processing', n: 1 },
      { status: 'completed', n: 2 },
    ]);
    expect(statuses([])).toEqual([]);
  });

  it('tells how much is answered', () => {
    const large = { successfulRequests: 997, failedRequests: 0, totalRequests: 1000, skippedRequests: 0 };
    expect(answeredWords(large)).toBe('997 of 1,000 answered');
    expect(answeredWords({ ...large, failedRequests: 3 })).toBe('997 of 1,000 answered, 3 failed');
    expect(answeredWords({ ...large, totalRequests: 2290, skippedRequests: 1293 })).toBe(
      '997 of 997 answered, 1,293 skipped by the flow, free',
    );
  });

  it('is found by name, group, starter and model', () => {
    const named = { ...run, name: 'Pilot', groupName: 'Lab', startedBy: 'Ada' };
    expect(['pilot', 'LAB', 'ada', 'twinlab-demo'].every((search) => matches(named, search))).toBe(true);
    expect(matches({ ...named, name: null }, 'pilot')).toBe(false);
  });

  it('is found by survey, id and status in any case', () => {
    expect(['energy', '4D5E6F', 'running', 'processing'].every((search) => matches(run, search))).toBe(true);
    expect(matches(run, 'completed')).toBe(false);
  });
});
