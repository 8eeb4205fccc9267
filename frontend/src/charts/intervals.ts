import { fixed } from '@/ui/numbers';
import { ratingsOf, type Figures } from './figures';
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

/** `2.87 ± 0.06`. */
export function meanText(
  { n, mean, sd }: { n: number; mean?: number | null; sd?: number | null },
  digits = 2,
): string {
  if (mean == null) return '–';
  const interval = meanInterval({ n, mean, sd: sd ?? null });
  return interval === null
    ? fixed(mean, digits)
    : `${fixed(mean, digits)} ± ${(interval.high - mean).toFixed(digits)}`;
}

/** How far the intervals of the means reach. */
export function meanEnds(figures: Figures): number[] {
  return ratingsOf(figures).flatMap((rating) => {
    if (rating.mean === null) return [];
    const { low, high } = meanInterval(rating) ?? { low: rating.mean, high: rating.mean };
    return [low, high];
  });
}
