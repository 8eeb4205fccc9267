import { describe, expect, it } from 'vitest';
import golden from './golden.json';
import { anova, chiSquare, holm, meanInterval, newcombe, separation, totalVariation, welch, wilson } from '.';

/** Each figure to 1e-9 of itself, however small; what is 0 in exact arithmetic to 1e-15. */
function expectEqual(found: object | null, expected: Record<string, unknown>) {
  const figures = Object.entries(expected).filter(([name]) => found !== null && name in found);
  expect(figures.length).toBeGreaterThan(0);
  for (const [name, value] of figures) {
    const figure = (found as Record<string, number>)[name] ?? NaN;
    const wanted = value as number;
    expect(Math.abs(figure - wanted), `${name}: ${figure} for ${wanted}`).toBeLessThanOrEqual(
      Math.abs(wanted) < 1e-300 || (name !== 'p' && Math.abs(wanted) < 1e-6)
        ? 1e-15
        : 1e-9 * Math.abs(wanted),
    );
  }
}

describe('statistics equal those of scipy and statsmodels', () => {
  it.each(golden.wilson)('wilson $count of $n at $level', ({ count, n, level, low, high }) => {
    expectEqual(wilson(count, n, level), { low, high });
  });
  it.each(golden.means)('interval of a mean of $sample.n at $level', ({ sample, level, low, high }) => {
    expectEqual(meanInterval(sample, level), { low, high });
  });
  it.each(golden.newcombe)('newcombe $counts', ({ counts: [a = 0, n = 0, b = 0, m = 0], ...expected }) => {
    expectEqual(newcombe(a, n, b, m), expected);
  });
  it.each(golden.tables)('χ² of $table', ({ table, ...expected }) => {
    expectEqual(chiSquare(table), expected);
  });
  it.each(golden.pairs)('Welch of $a.n and $b.n', ({ a, b, ...expected }) => {
    expectEqual(welch(a, b), expected);
  });
  it.each(golden.groups)('ANOVA of $groups.length groups', ({ groups, ...expected }) => {
    expectEqual(anova(groups), expected);
  });
  it.each(golden.holm)('Holm of $p', ({ p, adjusted }) => {
    expectEqual(holm(p), { ...adjusted });
  });
});

it('nothing is said of too few answers, or of answers all alike', () => {
  expect(wilson(0, 0)).toBeNull();
  expect(newcombe(1, 2, 0, 0)).toBeNull();
  expect(meanInterval({ n: 1, mean: 3, sd: 0 })).toBeNull();
  expect(chiSquare([[3, 4]])).toBeNull();
  expect(
    chiSquare([
      [3, 0],
      [4, 0],
    ]),
  ).toBeNull();
  const alike = { n: 5, mean: 2, sd: 0 };
  expect(welch(alike, alike)).toBeNull();
  expect(welch(alike, { n: 1, mean: 2, sd: 0 })).toBeNull();
  expect(anova([alike, { n: 4, mean: 1, sd: 1 }])).toBeNull();
  expect(anova([{ n: 4, mean: 1, sd: 1 }])).toBeNull();
});

it('total variation is half of what two distributions differ by', () => {
  expect(totalVariation([1, 1], [1, 3])).toBeCloseTo(0.25, 12);
  expect(totalVariation([5, 0], [0, 9])).toBe(1);
  expect(totalVariation([2], [1])).toBe(0);
  expect(totalVariation([0, 0], [1, 2])).toBeNull();
  expect(separation(0)).toBe(0);
  // scipy: 2 * norm.cdf(0.5) - 1
  expect(separation(-1)).toBeCloseTo(0.38292492254802624, 12);
});
