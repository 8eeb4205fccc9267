import type { GroupTest, TestRule } from '@/charts/tests';

/** The rule without a frozen plan. */
export const holm: TestRule = { adjustment: 'holm', alpha: 0.05, byPlan: false, family: '', notApplied: [] };

/** A question that is not split. */
export const untested = { tests: [], differences: [] };

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
  effectSize: 'small',
  isRough: false,
  distance: 0.2,
};
