import { expect, it } from 'vitest';
import type { QuestionSummary } from '@/api/types';
import { holm } from '@/statistics';
import { findingsOf, findingWords, noteOf, pairsOf, probability, testsOf } from './tests';
import { partsOf, type Split } from './split';

const none = { rows: [], bins: [], counts: [], mean: null, sd: null };
const tally = (values: Record<string, number>, n: number) =>
  Object.entries(values).map(([value, count]) => ({ value, count, share: count / n }));
const base = { order: 1, text: 'Which?', texts: [], ...none };

/** 60 of 100 women and 40 of 100 men take the bus. */
const choice: QuestionSummary = {
  ...base,
  questionId: 1,
  questionType: 'SINGLE_CHOICE',
  n: 203,
  counts: tally({ Bus: 103, Car: 100 }, 203),
  groups: [
    { ...none, value: 'Female', n: 100, counts: tally({ Bus: 60, Car: 40 }, 100) },
    { ...none, value: 'Male', n: 100, counts: tally({ Bus: 40, Car: 60 }, 100) },
    { ...none, value: '(not stated)', n: 3, counts: tally({ Bus: 3, Car: 0 }, 3) },
  ],
};
const several: QuestionSummary = { ...choice, questionId: 2, questionType: 'MULTIPLE_CHOICE' };
const number = (questionId: number, ...groups: [string, number, number][]): QuestionSummary => ({
  ...base,
  questionId,
  questionType: 'SLIDER',
  n: 60,
  groups: groups.map(([value, mean, sd]) => ({ ...none, value, n: 20, mean, sd })),
});
const gender: Split = { name: 'Gender', questionId: null, exclusive: true, colors: new Map() };

it('counts are tested by χ², without who has no value', () => {
  const [test] = testsOf(choice, partsOf(choice, gender));
  // χ² of [[60, 40], [40, 60]]: 200 · (60² − 40²)² / 100⁴ = 8.
  expect(test).toMatchObject({ statistic: 'χ²(1) = 8.00', effect: 'V = .20', size: 'small', rough: false });
  expect(test?.p).toBeCloseTo(0.004678, 6);
});

it('several answers are tested option by option', () => {
  const tests = testsOf(several, partsOf(several, gender));
  expect(tests.map(({ part }) => part)).toEqual(['Bus', 'Car']);
  expect(tests[0]?.statistic).toBe('χ²(1) = 8.00');
});

it('two means are tested by t, more by F, and then in pairs', () => {
  const two = number(3, ['Female', 5, 2], ['Male', 3, 2]);
  const [t] = testsOf(two, partsOf(two, gender));
  // 2 / √(4 / 20 + 4 / 20), 38 degrees of freedom, and 2 / 2.
  expect(t).toMatchObject({ statistic: 'Welch t(38) = 3.16', effect: 'd = 1.00', size: 'large' });
  const three = number(4, ['A', 5, 2], ['B', 3, 2], ['C', 3.1, 2]);
  const parts = partsOf(three, gender);
  expect(testsOf(three, parts)[0]?.statistic).toMatch(/^Welch F\(2, 38\) = /);
  expect(pairsOf(parts)).toEqual({ differ: 2, pairs: 3 });
});

it('p is adjusted over all tests of the page', () => {
  const questions = [choice, several, number(3, ['Female', 3.2, 2], ['Male', 3, 2])];
  const findings = findingsOf(questions, gender);
  expect(findings.tests).toBe(4);
  const raw = questions.flatMap((question) => testsOf(question, partsOf(question, gender)).map(({ p }) => p));
  const adjusted = [1, 2, 3].flatMap((id) => findings.of.get(id)?.map((each) => each.adjusted) ?? []);
  expect(adjusted).toEqual(holm(raw));
  expect(adjusted[0]).toBeGreaterThan(raw[0] ?? 1);
});

it('a sentence says what differs, by how much, and where most', () => {
  const say = (question: QuestionSummary, split: Split, moving = false) =>
    findingWords(question, partsOf(question, split), split, findingsOf([question], split), moving);
  expect(say({ ...choice, groups: choice.groups.slice(0, 2) }, gender)).toBe(
    'Differs by Gender: χ²(1) = 8.00, p = .005, V = .20 (small). Widest: Bus, 40 % to 60 %. Male − Female: −20.0 points (95 % CI −32.8 to −6.1).',
  );
  expect(say(several, gender)).toBe('All 2 options differ by Gender: χ² of each, p by Holm over 2 tests.');
  expect(say(number(3, ['A', 3, 2], ['B', 3.1, 2], ['C', 3, 2]), gender)).toMatch(
    /^No clear difference by Gender: Welch F\(2, 38\) = .*None of 3 pairs differ \(Holm\)\. Mean: B − A: \+0\.10 \(95 % CI .*\)\.$/,
  );
  expect(say(choice, gender, true)).toBe('No test while answers come in.');
  expect(say(choice, { ...gender, exclusive: false })).toMatch(/^No test: twins .* are in several groups\.$/);
  expect(say({ ...choice, groups: choice.groups.slice(0, 1) }, gender)).toMatch(/^No test: too few answers/);
});

it('few expected answers make p rough', () => {
  const few = {
    ...choice,
    groups: choice.groups.map((group, index) => ({
      ...group,
      n: 5,
      counts: tally({ Bus: index + 1, Car: 4 - index }, 5),
    })),
  };
  expect(testsOf(few, partsOf(few, gender))[0]?.rough).toBe(true);
});

it('p is never nothing and never certain', () => {
  expect([0, 0.0004, 0.0121, 0.9999].map(probability)).toEqual([
    'p < .001',
    'p < .001',
    'p = .012',
    'p > .999',
  ]);
  const [test] = findingsOf([choice], gender).of.get(1) ?? [];
  expect(test && noteOf(test, true)).toBe('χ²(1) = 8.00, p = .005, V = .20');
});
