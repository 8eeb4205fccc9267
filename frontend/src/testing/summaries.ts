import type { GroupTest, TestRule } from '@/charts/tests';

/** The rule without a frozen plan. */
export const holm: TestRule = {
  adjustment: 'holm',
  alpha: 0.05,
  byPlan: false,
  family: '',
  notApplied: [],
  words: 'p by Holm over all tests of the answer, alpha .05.',
};

/** A question that is not split, and whose answers are no degrees. */
export const untested = { tests: [], differences: [], hasDegrees: false, agreeing: [] };

/** χ² of [[60, 40], [40, 60]], as the only test of an answer. */
export const chiSquared: GroupTest = {
  part: '',
  method: 'chi_squared',
  statistic: 8,
  df: 1,
  p: 0.0046777,
  adjustedP: 0.0046777,
  adjustment: 'holm',
  familySize: 1,
  alpha: 0.05,
  verdict: 'differs',
  effectMeasure: 'v',
  effect: 0.2,
  effectLow: 0.0612764,
  effectHigh: 0.3385904,
  effectSize: 'small',
  isRough: false,
  distance: 0.2,
};
