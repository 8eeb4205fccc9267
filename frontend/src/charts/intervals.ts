import { meanInterval as studentInterval, wilson, type Interval } from '@/statistics';

/** The interval of a share; of nobody's answers all is possible. */
export const shareInterval = (count: number, n: number): Interval => wilson(count, n) ?? { low: 0, high: 1 };

/** The interval of a mean; null where there is no spread to tell it from. */
export function meanInterval({
  n,
  mean,
  sd,
}: {
  n: number;
  mean?: number | null;
  sd?: number | null;
}): Interval | null {
  return mean == null || sd == null ? null : studentInterval({ n, mean, sd });
}
