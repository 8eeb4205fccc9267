import { expect, it } from 'vitest';
import type { QuestionSummary } from '@/api/types';
import { clauseName } from './filter';
import { partsOf, splitOf, variablesOf, type Summary } from './split';
import { holm, untested } from '@/testing/summaries';

const tally = (value: string, count: number, n: number) => ({ value, count, share: count / n });
const rating = (row: string, yes: number, no: number) => ({
  row,
  n: yes + no,
  mean: (yes + 2 * no) / (yes + no),
  sd: 0.5,
  counts: [tally('Agree', yes, yes + no), tally('Disagree', no, yes + no)],
});
const whole = { order: 4, text: '', texts: [], counts: [], rows: [], bins: [], groups: [], ...untested };

/** Twins that agree to the first row are the first group. */
const matrix: QuestionSummary = {
  ...whole,
  questionId: 34,
  questionType: 'MATRIX',
  n: 60,
  rows: [rating('Tea', 30, 30), rating('Coffee', 20, 40)],
  groups: [
    { ...whole, value: 'Agree', n: 30, rows: [rating('Tea', 30, 0), rating('Coffee', 15, 15)] },
    { ...whole, value: 'Disagree', n: 30, rows: [rating('Tea', 0, 30), rating('Coffee', 5, 25)] },
  ],
};
const bin = (from: number, to: number) => ({ from, to, count: 1, share: 0.5 });
const minutes: QuestionSummary = {
  ...whole,
  questionId: 35,
  questionType: 'SLIDER',
  n: 2,
  bins: [bin(0, 0.025), bin(0.025, 0.05), bin(7, 7)],
};
const words: QuestionSummary = { ...whole, questionId: 36, questionType: 'TEXT_ENTRY', n: 2 };

const summary = (by: string): Summary => ({
  simulationId: '',
  by,
  where: [],
  n: 60,
  notice: '',
  partial: false,
  attributes: [],
  arms: [],
  positions: false,
  attributeValues: [],
  groups: [],
  rule: holm,
  questions: [matrix, minutes, words],
});

it('a matrix divides by its rows, numbers by intervals that the server names alike, free words by nothing', () => {
  expect(variablesOf(matrix)).toEqual([
    { by: 'question:34:row:1', row: 'Tea', values: ['Agree', 'Disagree'] },
    { by: 'question:34:row:2', row: 'Coffee', values: ['Agree', 'Disagree'] },
  ]);
  expect(variablesOf(minutes)).toEqual([
    { by: 'question:35', row: '', values: ['0 to 0.025', '0.025 to 0.05', '7'] },
  ]);
  expect(variablesOf(words)).toEqual([]);
});

it('a split by a row says which, and divides the other rows of its matrix', () => {
  const split = splitOf(summary('question:34:row:1'));
  expect(split).toMatchObject({ name: 'Q4 Tea', row: 'Tea', exclusive: true });
  expect(partsOf(matrix, split).map(({ name }) => name)).toEqual(['Agree', 'Disagree']);
});

it('numbers are not divided by themselves', () => {
  expect(partsOf(minutes, splitOf(summary('question:35')))).toEqual([]);
});

it('clauses name the row of a matrix, and an option that looks like one stays an option', () => {
  const matrix = { questionId: 34, order: 4, rows: ['Tea', 'Coffee'] };
  expect(clauseName('question:34:row:2:Agree: yes', [matrix])).toBe('Q4 Coffee: Agree: yes');
  expect(clauseName('question:34:row:2:Agree', [{ ...matrix, rows: [] }])).toBe('Q4: row:2:Agree');
  expect(clauseName('question:35:20 to 30', [{ questionId: 35, order: 5, rows: [] }])).toBe('Q5: 20 to 30');
});

it('answers of several numbers divide nobody, several labels a row do', () => {
  expect(variablesOf({ ...matrix, questionType: 'RANK' })).toEqual([]);
  expect(variablesOf({ ...matrix, questionType: 'CONSTANT_SUM' })).toEqual([]);
  const times: QuestionSummary = { ...matrix, questionType: 'MATRIX_MULTI' };
  expect(variablesOf(times).map(({ by, row }) => [by, row])).toEqual([
    ['question:34:row:1', 'Tea'],
    ['question:34:row:2', 'Coffee'],
  ]);
  const split = splitOf({ ...summary('question:34:row:1'), questions: [times] });
  expect(split?.exclusive).toBe(false);
});

it('a split by where a question was asked is one of answers, not of twins', () => {
  const groups = ['Early in its block', 'In the middle', 'Late in its block'].map((value) => ({
    value,
    n: 4,
  }));
  const split = splitOf({ ...summary('question:position'), groups });
  expect(split).toMatchObject({ name: 'place in the block', questionId: null, exclusive: true });
  expect([...(split?.colors.keys() ?? [])]).toEqual([...groups.map(({ value }) => value), '(not stated)']);
});
