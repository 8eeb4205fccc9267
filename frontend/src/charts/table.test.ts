import { expect, it } from 'vitest';
import type { QuestionSummary } from '@/api/types';
import { ALL, type Part } from './figures';
import { mixed } from './picture';
import { chiSquared, holm, untested } from '@/testing/summaries';
import { clipboardOf, csvOf, tableOf, tidyOf } from './table';

const counts = (yes: number, no: number) => [
  { value: 'Yes', count: yes, share: yes / (yes + no), low: 0.30064, high: 0.95441 },
  { value: 'No', count: no, share: no / (yes + no) },
];
const none = { rows: [], bins: [], mean: null, sd: null };
const question: QuestionSummary = {
  questionId: 31,
  order: 2,
  text: '=HYPERLINK("x"), "really"?',
  questionType: 'BOOLEAN',
  n: 4,
  counts: counts(3, 1),
  texts: [],
  ...none,
  ...untested,
  groups: [{ value: 'Female', n: 3, counts: counts(3, 0), ...none }],
};
const every: Part[] = [
  { name: ALL, figures: question },
  { name: 'Female', figures: question.groups[0] ?? question },
];

it('the table says the mean probability that all twins gave', () => {
  const [yes, no] = counts(3, 1);
  if (yes === undefined || no === undefined) throw new Error('two answers');
  const given = { ...question, counts: [{ ...yes, probability: { mean: 0.62, low: null, high: null } }, no] };
  expect(tableOf(given, [{ name: ALL, figures: given }]).lines[1]).toEqual([
    'Yes',
    '75.0 % (3), probability 62.0 %',
  ]);
});

it('the table behind a chart has a column per group', () => {
  expect(tableOf(question, every)).toEqual({
    head: ['Answer', 'All twins', 'Female'],
    lines: [
      ['n', '4', '3'],
      ['Yes', '75.0 % (3)', '100.0 % (3)'],
      ['No', '25.0 % (1)', '0.0 % (0)'],
    ],
  });
});

it('a file for programs has a line per answer and group, with shares and intervals as numbers', () => {
  const lines = tidyOf(question, every, holm);
  expect(lines).toHaveLength(5);
  const [, row, answer, group, n, count, share, low, high] = lines[1] ?? [];
  expect([row, answer, group, n, count, share]).toEqual(['', 'Yes', 'All twins', 4, 3, 0.75]);
  // Wilson's interval of 3 of 4.
  expect(low).toBeCloseTo(0.30064, 5);
  expect(high).toBeCloseTo(0.95441, 5);
});

it('a file for programs has a line for each test of the groups, with p as found and as adjusted, and the rule', () => {
  const half = { ...chiSquared, part: 'Tea', adjustedP: 0.0093554, familySize: 2 };
  const cellsOf = (of: QuestionSummary, place: number) => {
    const [head = [], ...lines] = tidyOf(of, every, holm);
    const line = lines.filter((each) => each[3] === '(all groups)')[place] ?? [];
    expect(line).toHaveLength(head.length);
    return Object.fromEntries(head.map((name, column) => [name, line[column]]));
  };
  expect(cellsOf({ ...question, tests: [chiSquared] }, 0)).toEqual({
    ...{ question: '=HYPERLINK("x"), "really"?', row: '', answer: '(test)', group: '(all groups)' },
    ...{ n: null, count: null, share: null, ci95_low: null, ci95_high: null, mean: null, sd: null },
    ...{ test: 'chi_squared', statistic: 8, df: 1, df2: null, p: 0.0046777, p_adjusted: 0.0046777 },
    ...{
      adjustment: 'holm',
      family_size: 1,
      alpha: 0.05,
      verdict: 'differs',
      effect_measure: 'v',
      effect: 0.2,
    },
    ...{ effect_ci95_low: 0.0612764, effect_ci95_high: 0.3385904, analysis: null, rule: holm.words },
  });
  const several = { ...question, questionType: 'MULTIPLE_CHOICE' as const, tests: [half, half] };
  expect(cellsOf(several, 1)).toMatchObject({ row: '', answer: 'Tea', p_adjusted: 0.0093554 });
  const matrix = { ...question, questionType: 'MATRIX' as const, tests: [half] };
  expect(cellsOf(matrix, 0)).toMatchObject({ row: 'Tea', answer: '(test)' });
  const moving = tidyOf({ ...question, tests: [chiSquared] }, every, null);
  expect(moving.some((line) => line.includes('chi_squared'))).toBe(false);
});

it('a matrix has its rows and their means in the table', () => {
  const interval = { meanLow: -4.853, meanHigh: 7.853 };
  const rating = { row: 'Calm', n: 2, mean: 1.5, sd: Math.SQRT1_2, ...interval, counts: counts(1, 1) };
  const matrix: QuestionSummary = {
    ...question,
    questionType: 'MATRIX',
    counts: [],
    rows: [rating],
    groups: [],
  };
  const { head, lines } = tableOf(matrix, [{ name: ALL, figures: matrix }]);
  expect(head).toEqual(['Row', 'Answer', 'All twins']);
  expect(lines.map(([row, answer]) => [row, answer])).toEqual(
    ['n', 'Yes', 'No', 'Mean ± 95 % CI', 'SD'].map((answer) => ['Calm', answer]),
  );
  // t of one degree of freedom, 12.706, times sd / √2.
  expect(lines[4]?.[2]).toBe('0.71');
});

it('text in a file cannot run as a formula nor end its cell', () => {
  const file = csvOf(tidyOf(question, every, holm));
  expect(file.startsWith('\uFEFFquestion,row,answer,group,n,count,share,')).toBe(true);
  expect(file).toContain(`\r\n"'=HYPERLINK(""x""), ""really""?",,Yes,All twins,4,3,0.75,`);
  expect(csvOf([[-1.5, null, 'a\nb']])).toBe('\uFEFF-1.5,,"a\nb"\r\n');
});

it('the clipboard gets text with tabs and a table', () => {
  const { text, html } = clipboardOf({ head: ['a\tb', '<i>'], lines: [['1', '2']] });
  expect(text).toBe('a b\t<i>\n1\t2');
  expect(html).toBe('<table><tr><td>a\tb</td><td>&lt;i&gt;</td></tr><tr><td>1</td><td>2</td></tr></table>');
});

it('a mixed colour lies between its two', () => {
  expect(mixed('#ffffff', '#000000', 0.5)).toBe('#808080');
  expect(mixed('#a34a10', '#f2a65a', 1)).toBe('#a34a10');
});

it('a ranking has the share of each rank and the mean rank of its options', () => {
  const rank = (row: string, first: number, mean: number) => ({
    row,
    n: 4,
    mean,
    sd: 0.5,
    meanLow: mean - 0.8,
    meanHigh: mean + 0.8,
    counts: [
      { value: '1', count: first, share: first / 4 },
      { value: '2', count: 4 - first, share: 1 - first / 4 },
    ],
  });
  const rows = [rank('Tea', 3, 1.25), rank('Milk', 1, 1.75)];
  const ranking: QuestionSummary = { ...question, questionType: 'RANK', counts: [], rows, groups: [] };
  const { head, lines } = tableOf(ranking, [{ name: ALL, figures: ranking }]);
  expect(head).toEqual(['Row', 'Answer', 'All twins']);
  expect(lines.slice(0, 5)).toEqual([
    ['Tea', 'n', '4'],
    ['Tea', '1', '75.0 % (3)'],
    ['Tea', '2', '25.0 % (1)'],
    ['Tea', 'Mean ± 95 % CI', '1.25 ± 0.80'],
    ['Tea', 'SD', '0.50'],
  ]);
  const means = tidyOf(ranking, [{ name: ALL, figures: ranking }], holm).filter(
    ([, , answer]) => answer === '(mean)',
  );
  expect(means.map(([, row]) => row)).toEqual(['Tea', 'Milk']);
  expect(means[0]?.[9]).toBe(1.25);
});
