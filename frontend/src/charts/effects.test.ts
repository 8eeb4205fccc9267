import { expect, it } from 'vitest';
import type { QuestionSummary } from '@/api/types';
import { newcombe, welch } from '@/statistics';
import { effectsOf, effectWords } from './effects';
import { NOT_STATED } from './palette';

const figures = (n: number, mean: number, sd: number) => ({
  n,
  mean,
  sd,
  min: null,
  max: null,
  counts: [],
  rows: [],
  bins: [],
});
const numbers = { questionType: 'RANGE', counts: [], rows: [], bins: [] } as unknown as QuestionSummary;

it('a mean is compared with that of the first group, by Welch', () => {
  const parts = [
    { name: 'control', figures: figures(40, 4, 1) },
    { name: 'fee', figures: figures(50, 3.5, 1.2) },
    { name: NOT_STATED, figures: figures(3, 1, 1) },
  ];
  const test = welch({ n: 50, mean: 3.5, sd: 1.2 }, { n: 40, mean: 4, sd: 1 });
  const effects = effectsOf(numbers, parts);
  expect(effects).toEqual({
    base: 'control',
    option: null,
    of: [{ group: 'fee', difference: -0.5, low: test?.low, high: test?.high, d: test?.d }],
  });
  expect(effectWords(effects)).toMatch(/^ Mean: fee − control: −0\.50 \(95 % CI −0\.96 to −0\.04\)\.$/);
});

it('a choice names the option with the largest difference of shares, by Newcombe', () => {
  const tally = (yes: number, n: number) => ({
    ...figures(n, 0, 0),
    counts: [
      { value: 'Yes', count: yes, share: yes / n },
      { value: 'No', count: n - yes, share: (n - yes) / n },
    ],
  });
  const question = {
    questionType: 'SINGLE_CHOICE',
    ...tally(50, 100),
  } as unknown as QuestionSummary;
  const parts = [
    { name: 'a', figures: tally(20, 50) },
    { name: 'b', figures: tally(30, 50) },
  ];
  const expected = newcombe(30, 50, 20, 50);
  expect(effectsOf(question, parts)).toEqual({
    base: 'a',
    option: 'Yes',
    of: [{ group: 'b', ...expected, d: null }],
  });
  expect(effectWords(effectsOf(question, parts))).toMatch(
    /^ b − a: \+20\.0 points \(95 % CI \+0\.\d to \+37\.\d\)\.$/,
  );
});

it('one group, groups without answers and many groups have no effects', () => {
  const group = (name: string, n = 9) => ({ name, figures: figures(n, 3, 1) });
  expect(effectsOf(numbers, [group('a')])).toBeNull();
  expect(effectsOf(numbers, [group('a'), group('b', 0)])).toBeNull();
  expect(
    effectsOf(
      numbers,
      ['a', 'b', 'c', 'd', 'e'].map((name) => group(name)),
    ),
  ).toBeNull();
  expect(effectWords(null)).toBe('');
});
