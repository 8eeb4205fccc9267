import { expect, it } from 'vitest';
import { chiSquared, untested } from '@/testing/summaries';
import { differencesOf, type QuestionInSimulations } from './differences';

const none = { counts: [], rows: [], bins: [] };
const tallies = (bus: number) => [
  { value: 'Bus', count: bus, share: bus / 100 },
  { value: 'Car', count: 100 - bus, share: (100 - bus) / 100 },
];
const asked = (questionId: number) =>
  ['A', 'B'].map((run) => ({ run, questionId, order: questionId, text: 'To work?' }));
const from = { part: '', group: 'B', base: 'A', low: 0, high: 1 };

const travel: QuestionInSimulations = {
  questionId: 1,
  order: 1,
  text: 'To work?',
  questionType: 'SINGLE_CHOICE',
  ...untested,
  texts: [],
  n: 200,
  ...none,
  counts: tallies(60),
  groups: [
    { value: 'A', n: 100, ...none, counts: tallies(30) },
    { value: 'B', n: 100, ...none, counts: tallies(90) },
  ],
  tests: [{ ...chiSquared, distance: 0.6 }],
  differences: [
    { ...from, option: 'Bus', difference: 0.6 },
    { ...from, option: 'Car', difference: -0.6 },
  ],
  asked: asked(1),
};
const satisfied: QuestionInSimulations = {
  ...travel,
  questionId: 2,
  questionType: 'SLIDER',
  counts: [],
  groups: [
    { value: 'A', n: 100, ...none, mean: 5, sd: 2 },
    { value: 'B', n: 100, ...none, mean: 5.2, sd: 2 },
  ],
  tests: [{ ...chiSquared, method: 'welch_t', distance: 0.04, verdict: 'no_clear_difference' }],
  differences: [{ ...from, option: '', difference: 0.2, d: 0.1 }],
  asked: asked(2),
};

it('questions are listed by how far their distributions lie apart', () => {
  const rows = differencesOf([satisfied, travel], ['A', 'B']);
  expect(rows.map(({ question }) => question.questionId)).toEqual([1, 2]);
  const [bus, mean] = rows;
  expect(bus).toMatchObject({ measure: 'Bus', unit: 'share', values: [0.3, 0.9], distance: 0.6 });
  expect(bus?.differences[0]?.difference).toBe(0.6);
  expect(bus?.finding?.verdict).toBe('differs');
  expect(mean).toMatchObject({ measure: 'Mean', unit: 'mean', values: [5, 5.2] });
  expect(mean?.finding?.verdict).toBe('no_clear_difference');
});

it('one of several answers is compared by its own share, and a row by its own mean', () => {
  const several: QuestionInSimulations = {
    ...travel,
    questionType: 'MULTIPLE_CHOICE',
    tests: [{ ...chiSquared, part: 'Car' }],
    differences: [{ ...from, part: 'Car', option: 'Car', difference: -0.6 }],
  };
  const [car] = differencesOf([several], ['A', 'B']);
  expect(car).toMatchObject({ part: 'Car', measure: '', values: [0.7, 0.1] });
  const row = (mean: number) => [{ row: 'Tea', n: 100, mean, sd: 1, counts: [] }];
  const matrix: QuestionInSimulations = {
    ...travel,
    questionType: 'MATRIX',
    rows: row(3),
    groups: travel.groups.map((group, place) => ({ ...group, rows: row(2 + place) })),
    tests: [{ ...chiSquared, part: 'Tea' }],
    differences: [],
  };
  expect(differencesOf([matrix], ['A', 'B'])[0]).toMatchObject({ values: [2, 3], differences: [null] });
});

it('what was asked in one run alone has no value in the other', () => {
  const [only] = differencesOf(
    [{ ...travel, ...untested, tests: [chiSquared], groups: travel.groups.slice(0, 1) }],
    ['A', 'B'],
  );
  expect(only?.values).toEqual([0.3, null]);
});
