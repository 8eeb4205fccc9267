import { normalQuantile, studentQuantile } from './special';

export interface Interval {
  low: number;
  high: number;
}

/** Answers as numbers: how many, their mean and sample standard deviation. */
export interface Sample {
  n: number;
  mean: number;
  sd: number;
}

const LEVEL = 0.95;
const NORMAL_95 = normalQuantile(LEVEL);
const normal = (level: number) => (level === LEVEL ? NORMAL_95 : normalQuantile(level));

/** Wilson's score interval of a share (Wilson 1927), 0 to 1; none of nobody. */
export function wilson(count: number, n: number, level = LEVEL): Interval | null {
  if (n <= 0) return null;
  const z = normal(level);
  const share = count / n;
  const centre = share + (z * z) / (2 * n);
  const half = z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
  const whole = 1 + (z * z) / n;
  // Rounding would leave a trace of the other end.
  return { low: count === 0 ? 0 : (centre - half) / whole, high: count === n ? 1 : (centre + half) / whole };
}

/** Student's interval of a mean; none of fewer than two answers. */
export function meanInterval({ n, mean, sd }: Sample, level = LEVEL): Interval | null {
  if (n < 2) return null;
  const half = (studentQuantile(level, n - 1) * sd) / Math.sqrt(n);
  return { low: mean - half, high: mean + half };
}

/** The difference of two shares and its hybrid score interval (Newcombe 1998, method 10). */
export function newcombe(
  count1: number,
  n1: number,
  count2: number,
  n2: number,
  level = LEVEL,
): (Interval & { difference: number }) | null {
  const first = wilson(count1, n1, level);
  const second = wilson(count2, n2, level);
  if (first === null || second === null) return null;
  const [p1, p2] = [count1 / n1, count2 / n2];
  const difference = p1 - p2;
  return {
    difference,
    low: difference - Math.hypot(p1 - first.low, second.high - p2),
    high: difference + Math.hypot(first.high - p1, p2 - second.low),
  };
}
