import { describe, expect, it } from 'vitest';
import { layOutLabels, placeLabels } from './labels';

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

describe('the labels of a field', () => {
  /** Lays out answers with equal shares and names of one width, in a field of 1,000 pixels. */
  const layOut = (answers: number, name: number) =>
    layOutLabels(
      Array.from({ length: answers }, (_, place) => ({ at: (1000 * place) / answers, name, figure: 20 })),
      1000,
    );

  it('are large where two rows hold them, and small where more do', () => {
    expect(layOut(5, 150).kind).toBe('large');
    expect(layOut(5, 400).kind).toBe('small');
  });

  it('stand at their own dots also where there are more than seven', () => {
    const even = layOut(10, 80);
    expect(even.kind).toBe('large');
    expect(even.places.map(({ from }) => from)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900]);
    const starts = [0, 200, 400, 600, 800, 900, 950, 980];
    const uneven = layOutLabels(
      starts.map((at) => ({ at, name: 60, figure: 20 })),
      1000,
    );
    expect(uneven.kind).toBe('small');
    expect(uneven.places.map(({ row }) => row)).toEqual([0, 0, 0, 0, 3, 2, 1, 0]);
  });

  it('are listed where more than seven rows would be needed', () => {
    expect(layOut(8, 900)).toEqual({ kind: 'listed', places: [] });
    expect(layOut(40, 300)).toEqual({ kind: 'listed', places: [] });
  });
});
