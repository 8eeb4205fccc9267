import { expect, it } from 'vitest';
import type { QuestionSummary, QuestionType } from '@/api/types';
import { percent } from '@/ui/numbers';
import { axisLabels, edges } from './bins';
import { widest } from './extent';
import { kindOf, reach, topTwo } from './figures';
import { groupColors } from './palette';
import { shareAxis } from './scale';
import { wrap, widthOf } from './text';

const tally = (...counts: number[]) => {
  const n = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count, index) => ({ value: `${index}`, count, share: count / n }));
};

it('a choice between degrees of agreement is drawn about its middle, others as bars', () => {
  const rated = [{ row: '', n: 0, counts: [] }];
  const kind = (questionType: QuestionType, rows: QuestionSummary['rows'] = []) =>
    kindOf({ questionType, rows });
  expect(kind('SINGLE_CHOICE')).toBe('choice');
  expect(kind('MULTIPLE_CHOICE')).toBe('several');
  expect(kind('SINGLE_CHOICE', rated)).toBe('agreement');
  expect(kind('NUMBER')).toBe('numbers');
});

it('the top two are the last two of at least four degrees', () => {
  expect(topTwo(tally(1, 1, 1, 1))).toBe(0.5);
  expect(topTwo(tally(1, 1))).toBeNull();
});

it('an odd scale is halved in its middle, an even one between its two middles', () => {
  expect(reach({ row: '', n: 8, mean: null, sd: null, counts: tally(1, 1, 2, 3, 1) })).toEqual({
    left: 0.375,
    right: 0.625,
  });
  expect(reach({ row: '', n: 4, mean: null, sd: null, counts: tally(1, 2, 0, 1) })).toEqual({
    left: 0.75,
    right: 0.25,
  });
});

it('a share that is not nothing or all never looks like it', () => {
  expect([0, 0.001, 0.5, 0.999, 1].map((share) => percent(share))).toEqual([
    '0 %',
    '< 1 %',
    '50 %',
    '> 99 %',
    '100 %',
  ]);
  expect(percent(0.0001, 1)).toBe('< 0.1 %');
  expect(percent(0.9999, 1)).toBe('> 99.9 %');
});

it('groups with an order have shades of one colour, others colours far apart, many none', () => {
  const views = ['Very liberal', 'Liberal', 'Moderate', 'Conservative', 'Very conservative'];
  expect([...groupColors(views).values()].slice(0, 5)).toEqual(
    [1, 2, 3, 4, 5].map((place) => `var(--group-${place})`),
  );
  const cups = ['None', 'One or two', 'A few'];
  expect(groupColors(cups).get('None')).toBe('var(--chart-1)');
  expect(groupColors(cups, 'ordinal').get('None')).toBe('var(--group-1)');
  expect(groupColors(['Male', 'Female']).get('Female')).toBe('var(--chart-2)');
  expect(groupColors(['1', '2', '3', '4', '5', '6'])).toEqual(new Map());
});

it('axes end at round numbers', () => {
  expect([0, 0.2, 0.21, 0.97, 1].map(shareAxis)).toEqual([0.2, 0.2, 0.4, 1, 1]);
});

it('numbers stand below their bars, limits of intervals at the edges, and never touch', () => {
  const numbers = Array.from({ length: 7 }, (_, index) => ({
    from: index + 1,
    to: index + 1,
    count: 1,
    share: 0,
  }));
  const tens = Array.from({ length: 12 }, (_, index) => ({
    from: index * 10,
    to: index * 10 + 10,
    count: 1,
    share: 0,
  }));
  expect(edges({ from: 3, to: 3 })).toEqual([2.5, 3.5]);
  expect(axisLabels(numbers, (value) => value * 60).map(({ text }) => text)).toEqual([...'1234567']);
  expect(axisLabels(tens, (value) => value).map(({ text }) => text)).toEqual(['0', '40', '80', '120']);
  // Eight bins of fifty on a phone.
  const fifties = tens.slice(0, 8).map((bin) => ({ ...bin, from: bin.from * 5, to: bin.to * 5 }));
  expect(axisLabels(fifties, (value) => value * 0.71).map(({ text }) => text)).toEqual([
    '0',
    '100',
    '200',
    '300',
    '400',
  ]);
});

it('the longest word is broken, and what finds no room ends in an ellipsis', () => {
  const word = 'x'.repeat(300);
  const lines = wrap(`a ${word} b`, 100, 3);
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(100);
  expect(lines.at(-1)).toMatch(/…$/);
  expect(wrap('short', 100, 3)).toEqual(['short']);
});

it('axes that hold reach as far as they ever did', () => {
  const before = { low: -10, high: 100, most: 0.4 };
  expect(widest(before, { low: 0, high: 120, most: 0.3 })).toEqual({ low: -10, high: 120, most: 0.4 });
});
