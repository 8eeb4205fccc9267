import { type Interval, type Sample } from './intervals';
import { chiSquareTail, fTail, normalTails, studentQuantile, studentTails } from './special';

const sum = (values: readonly number[]) => values.reduce((whole, value) => whole + value, 0);

/** Pearson's χ² of a table of counts, without continuity correction, and Cramér's V. */
export interface ChiSquare {
  statistic: number;
  df: number;
  p: number;
  v: number;
}

/** Whether the rows of a table answer alike. Empty rows and columns say nothing; none without two of each. */
export function chiSquare(table: readonly (readonly number[])[]): ChiSquare | null {
  const columns = (table[0] ?? []).map((_, column) => sum(table.map((row) => row[column] ?? 0)));
  const rows = table.map(sum);
  const whole = sum(rows);
  const free = [rows, columns].map((totals) => totals.filter((total) => total > 0).length - 1);
  const [down = 0, across = 0] = free;
  const df = down * across;
  if (down < 1 || across < 1) return null;
  let statistic = 0;
  table.forEach((row, r) => {
    columns.forEach((column, c) => {
      const expected = ((rows[r] ?? 0) * column) / whole;
      if (expected > 0) statistic += ((row[c] ?? 0) - expected) ** 2 / expected;
    });
  });
  const v = Math.sqrt(statistic / (whole * Math.min(down, across)));
  return { statistic, df, p: chiSquareTail(statistic, df), v };
}

/** Welch's t of two means, their difference with its interval, and Cohen's d by the pooled standard deviation. */
export interface Welch extends Interval {
  t: number;
  df: number;
  p: number;
  difference: number;
  d: number;
}

/** None of fewer than two answers on a side, or where all answers are alike. */
export function welch(a: Sample, b: Sample, level = 0.95): Welch | null {
  if (a.n < 2 || b.n < 2) return null;
  const [va, vb] = [a.sd ** 2 / a.n, b.sd ** 2 / b.n];
  const error = Math.sqrt(va + vb);
  if (error === 0) return null;
  const difference = a.mean - b.mean;
  const t = difference / error;
  const df = (va + vb) ** 2 / (va ** 2 / (a.n - 1) + vb ** 2 / (b.n - 1));
  const half = studentQuantile(level, df) * error;
  const pooled = Math.sqrt(((a.n - 1) * a.sd ** 2 + (b.n - 1) * b.sd ** 2) / (a.n + b.n - 2));
  return {
    t,
    df,
    p: studentTails(Math.abs(t), df),
    difference,
    low: difference - half,
    high: difference + half,
    d: difference / pooled,
  };
}

/** Analysis of variance: F with its degrees of freedom, and the share of the variance that groups explain. */
export interface Anova {
  f: number;
  df1: number;
  df2: number;
  p: number;
  etaSquared: number;
}

/**
 * Whether several means are the same, where groups may vary differently (Welch 1951). Groups of fewer than two answers say
 * nothing; none without two groups, or where a group's answers are all alike.
 */
export function anova(groups: readonly Sample[]): Anova | null {
  const known = groups.filter(({ n }) => n >= 2);
  const k = known.length;
  if (k < 2 || known.some(({ sd }) => sd === 0)) return null;
  const weights = known.map(({ n, sd }) => n / sd ** 2);
  const weight = sum(weights);
  const centre = sum(known.map(({ mean }, group) => (weights[group] ?? 0) * mean)) / weight;
  const between = sum(known.map(({ mean }, group) => (weights[group] ?? 0) * (mean - centre) ** 2)) / (k - 1);
  const unsure = sum(known.map(({ n }, group) => (1 - (weights[group] ?? 0) / weight) ** 2 / (n - 1)));
  const f = between / (1 + (2 * (k - 2) * unsure) / (k * k - 1));
  const df1 = k - 1;
  const df2 = (k * k - 1) / (3 * unsure);
  return { f, df1, df2, p: fTail(f, df1, df2), etaSquared: etaSquared(known) };
}

function etaSquared(groups: readonly Sample[]): number {
  const whole = sum(groups.map(({ n }) => n));
  const grand = sum(groups.map(({ n, mean }) => n * mean)) / whole;
  const between = sum(groups.map(({ n, mean }) => n * (mean - grand) ** 2));
  const within = sum(groups.map(({ n, sd }) => (n - 1) * sd ** 2));
  return between / (between + within);
}

/** p-values adjusted for their number (Holm 1979), in the order given. */
export function holm(p: readonly number[]): number[] {
  const order = p.map((_, place) => place).sort((a, b) => (p[a] ?? 1) - (p[b] ?? 1));
  const adjusted = new Array<number>(p.length);
  let largest = 0;
  order.forEach((place, rank) => {
    largest = Math.max(largest, Math.min(1, (p.length - rank) * (p[place] ?? 1)));
    adjusted[place] = largest;
  });
  return adjusted;
}

/** The total variation of two normal distributions of the same spread whose means lie `d` standard deviations apart. */
export const separation = (d: number): number => 1 - normalTails(Math.abs(d) / 2);

/** Half the sum of the differences of two distributions, 0 (alike) to 1; none of nobody. */
export function totalVariation(a: readonly number[], b: readonly number[]): number | null {
  const [wholeA, wholeB] = [sum(a), sum(b)];
  if (wholeA === 0 || wholeB === 0) return null;
  const places = Math.max(a.length, b.length);
  let distance = 0;
  for (let place = 0; place < places; place += 1)
    distance += Math.abs((a[place] ?? 0) / wholeA - (b[place] ?? 0) / wholeB);
  return distance / 2;
}
