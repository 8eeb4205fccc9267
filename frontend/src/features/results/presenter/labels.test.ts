import { expect, it } from 'vitest';
import { placeLabels } from './labels';

const rows = (...labels: [at: number, width: number][]) =>
  placeLabels(
    labels.map(([at, width]) => ({ at, width })),
    1000,
  ).map(({ from, row }) => [from, row]);

it('labels with room stand at the left edge of their dots, in one row', () => {
  expect(rows([0, 100], [300, 100], [600, 100])).toEqual([
    [0, 0],
    [300, 0],
    [600, 0],
  ]);
});

it('a label that reaches over another stands above it, and above those that it reaches over', () => {
  expect(rows([0, 100], [50, 100], [400, 100])).toEqual([
    [0, 1],
    [50, 0],
    [400, 0],
  ]);
  // While few have answered, all dots stand side by side.
  expect(rows([0, 100], [30, 100], [60, 100], [90, 100]).map(([, row]) => row)).toEqual([3, 2, 1, 0]);
  // The second reaches over the third; the first only over the second, whose line goes down between them.
  expect(rows([0, 60], [50, 100], [120, 100]).map(([, row]) => row)).toEqual([2, 1, 0]);
});

it('no label leaves the field', () => {
  expect(rows([0, 100], [950, 100], [990, 100])).toEqual([
    [0, 0],
    [900, 1],
    [900, 0],
  ]);
  expect(rows([10, 2000])).toEqual([[0, 0]]);
});
