import { expect, test } from 'vitest';
import { nearColumns } from './nearColumns';

const widths = Array.from({ length: 500 }, (_, place) => [110, 180, 540][place % 3] ?? 0);
const sum = (some: readonly number[]) => some.reduce((total, width) => total + width, 0);

test('whatever part of a table is shown, its columns are drawn, and the others keep their width', () => {
  for (let left = 0; left <= sum(widths); left += 97) {
    const { first, end, before, after } = nearColumns(widths, Math.floor(left / 800));
    expect([before, after]).toEqual([sum(widths.slice(0, first)), sum(widths.slice(end))]);
    expect(before).toBeLessThanOrEqual(left);
    expect(sum(widths) - after).toBeGreaterThanOrEqual(Math.min(left + 1600, sum(widths)));
    expect(end - first).toBeLessThan(30);
  }
});

test('a table of few columns is drawn as a whole', () => {
  expect(nearColumns([110, 180, 540], 0)).toEqual({ first: 0, end: 3, before: 0, after: 0 });
});
