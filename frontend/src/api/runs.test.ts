import { expect, it } from 'vitest';
import { run } from '@/testing/fixtures';
import { askedOf, canContinue, countersAreOff, openOf, percentOf, sumOf } from './runs';

const counts = (total: number, answered: number, failed: number, skipped: number) => ({
  totalRequests: total,
  successfulRequests: answered,
  failedRequests: failed,
  skippedRequests: skipped,
});

it('what the flow skips is no part of the progress', () => {
  const routed = counts(4000, 2700, 7, 1293);
  expect([askedOf(routed), openOf(routed), percentOf(routed)]).toEqual([2707, 0, 100]);
  expect(percentOf(counts(4000, 1000, 0, 2000))).toBe(50);
  expect(percentOf(counts(4000, 1000, 500, 2000), 1000)).toBe(50);
  expect([percentOf(counts(10, 0, 0, 10)), percentOf(counts(0, 0, 0, 0))]).toEqual([100, 0]);
});

it('the progress of several runs is that of their requests', () => {
  const all = sumOf([counts(10, 5, 0, 0), counts(40, 10, 5, 10)]);
  expect(all).toEqual(counts(50, 15, 5, 10));
  expect(percentOf(all)).toBe(50);
});

it('a stopped run goes on with what was not skipped', () => {
  const stopped = { ...run, status: 'STOPPED', ...counts(10, 4, 0, 6) } as const;
  expect(canContinue(stopped)).toBe(false);
  expect(canContinue({ ...stopped, skippedRequests: 5 })).toBe(true);
});

it('counters that claim more than is asked are off', () => {
  expect(countersAreOff({ ...run, ...counts(10, 10, 0, 0) })).toBe(false);
  expect(countersAreOff({ ...run, ...counts(10, 10, 1, 0) })).toBe(true);
  expect(countersAreOff({ ...run, ...counts(10, 6, 0, 5) })).toBe(true);
});
