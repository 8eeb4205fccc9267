import { expect, it } from 'vitest';
import type { QuestionSummary } from '@/api/types';
import { chiSquared, untested } from '@/testing/summaries';
import type { GroupDifference } from './effects';
import { partsOf, type Split } from './split';
import { findingsOf, findingWords, noteOf, probability, type GroupTest } from './tests';

const none = { rows: [], bins: [], counts: [], mean: null, sd: null };
const tally = (values: Record<string, number>, n: number) =>
  Object.entries(values).map(([value, count]) => ({ value, count, share: count / n }));
const base = { order: 1, text: 'Which?', texts: [], ...none, ...untested };
const difference = (part: Partial<GroupDifference>): GroupDifference => ({
  part: '',
  option: 'Bus',
  group: 'Male',
  base: 'Female',
  difference: -0.2,
  low: -0.328,
  high: -0.061,
  ...part,
});

/** 60 of 100 women and 40 of 100 men take the bus. */
const choice: QuestionSummary = {
  ...base,
  questionId: 1,
  questionType: 'SINGLE_CHOICE',
  n: 200,
  counts: tally({ Bus: 100, Car: 100 }, 200),
  groups: [
    { ...none, value: 'Female', n: 100, counts: tally({ Bus: 60, Car: 40 }, 100) },
    { ...none, value: 'Male', n: 100, counts: tally({ Bus: 40, Car: 60 }, 100) },
  ],
  tests: [chiSquared],
  differences: [difference({}), difference({ option: 'Car', difference: 0.2, low: 0.061, high: 0.328 })],
};
const several: QuestionSummary = {
  ...choice,
  questionId: 2,
  questionType: 'MULTIPLE_CHOICE',
  tests: ['Bus', 'Car'].map((part) => ({ ...chiSquared, part, familySize: 2 })),
};
const welchF: GroupTest = {
  ...chiSquared,
  method: 'welch_anova',
  statistic: 0.02,
  df: 2,
  df2: 37.9,
  p: 0.98,
  adjustedP: 0.98,
  verdict: 'no_clear_difference',
  effectMeasure: 'eta_squared',
  effect: 0.0004,
  effectLow: null,
  effectHigh: null,
  effectSize: 'negligible',
  pairs: 3,
  pairsDiffering: 0,
};
const numbers: QuestionSummary = {
  ...base,
  questionId: 3,
  questionType: 'SLIDER',
  n: 60,
  groups: ['A', 'B', 'C'].map((value) => ({ ...none, value, n: 20, mean: 3, sd: 2 })),
  tests: [welchF],
  differences: ['B', 'C'].map((group) =>
    difference({ option: '', group, base: 'A', difference: 0.1, low: -1.18, high: 1.38, d: 0.05 }),
  ),
};
const gender: Split = { name: 'Gender', questionId: null, exclusive: true, colors: new Map() };
const say = (question: QuestionSummary, split = gender, moving = false) =>
  findingWords(question, partsOf(question, split), split, moving);

it('a sentence says what differs, by how much, and where most', () => {
  expect(say(choice)).toBe(
    'Differs by Gender: χ²(1) = 8.00, p = .005, V = .20 (small, 95 % CI .06 to .34). Widest: Bus, 40 % to 60 %. Male − Female: −20.0 points (95 % CI −32.8 to −6.1).',
  );
  expect(say({ ...choice, tests: [{ ...chiSquared, familySize: 5 }] })).toContain(
    'p = .005 (Holm over 5 tests),',
  );
  expect(say(several)).toBe('All 2 options differ by Gender: χ² of each, p by Holm over 2 tests.');
  expect(say(numbers)).toBe(
    'No clear difference by Gender: Welch F(2, 38) = 0.02, p = .980, η² < .01 (negligible). None of 3 pairs differ (Holm). ' +
      'Mean: B − A: +0.10 (95 % CI −1.18 to +1.38); C − A: +0.10 (95 % CI −1.18 to +1.38).',
  );
  expect(say({ ...choice, tests: [{ ...chiSquared, isRough: true }] })).toMatch(
    /Few answers in many cells: p is rough\.$/,
  );
});

it('a sentence says why there is no test', () => {
  expect(say(choice, gender, true)).toBe('No test while answers come in.');
  expect(say(choice, { ...gender, exclusive: false })).toMatch(/^No test: twins .* are in several groups\.$/);
  const unable: GroupTest = {
    ...chiSquared,
    statistic: null,
    p: null,
    adjustedP: null,
    verdict: 'cannot_tell',
  };
  expect(say({ ...choice, tests: [unable] })).toBe('No test: too few answers, or all alike.');
  expect(say({ ...choice, ...untested, groups: [] })).toBe('The groups are made by this question.');
});

it('many groups are not written one by one', () => {
  const group = (name: string) => ({ ...none, value: name, n: 9, mean: 3, sd: 1 });
  expect(say({ ...numbers, groups: [...'abcde'].map(group) })).not.toContain('Mean:');
});

it('a test says whether the frozen plan names it, and how p is adjusted', () => {
  const planned: GroupTest = {
    ...chiSquared,
    adjustment: 'bonferroni',
    familySize: 2,
    alpha: 0.01,
    analysis: 'preregistered',
  };
  const words = say({ ...choice, tests: [planned] });
  expect(words).toContain('(Bonferroni over 2 tests)');
  expect(words).toMatch(/ Preregistered\.$/);
  expect(say({ ...choice, tests: [{ ...planned, analysis: 'exploratory' }] })).toMatch(/ Exploratory: /);
  expect(say({ ...several, tests: [planned, { ...planned, adjustment: 'none' }] })).toContain(
    'p by Bonferroni',
  );
  expect(say({ ...several, tests: [{ ...planned, part: 'Bus', adjustment: 'none' }] })).toContain(
    'p not corrected',
  );
});

it('p is never nothing and never certain', () => {
  expect([0, 0.0004, 0.0121, 0.9999].map(probability)).toEqual([
    'p < .001',
    'p < .001',
    'p = .012',
    'p > .999',
  ]);
  const [test] = findingsOf(choice);
  expect(test && noteOf(test, true)).toBe('χ²(1) = 8.00, p = .005, V = .20');
  expect(test && noteOf(test, false)).toBe('V = .20, p = .005');
});
