import { describe, expect, it } from 'vitest';
import type { Simulation } from '@/api/types';
import { displayOf, matches, outcomeOf, settledDisplay } from './display';

const run: Simulation = {
  id: 1,
  simulationId: '0b9fd3a4-5d0a-4b7e-9d3f-1c2b3a4d5e6f',
  surveyId: 2,
  surveyTitle: 'Energy at Home',
  userId: 3,
  status: 'RUNNING',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  startedAt: null,
  completedAt: null,
  errorMessage: null,
  personaCount: 5,
  totalQuestions: 2,
  totalRequests: 10,
  successfulRequests: 4,
  failedRequests: 0,
  demoModel: false,
  groupId: 4,
  attempt: 1,
  parameters: {
    model: 'twinlab-demo',
    seed: 1,
    questionsPerCall: 20,
    personaVariant: 'summary',
    shuffleOptions: false,
  },
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
