import { fixed } from '@/ui/numbers';
import { ratingsOf, type Figures } from './figures';

export interface Interval {
  low: number;
  high: number;
}

/** The interval of a share; of nobody's answers all is possible. */
export const shareInterval = ({ low, high }: { low?: number | null; high?: number | null }): Interval => ({
  low: low ?? 0,
  high: high ?? 1,
});

/** A mean with the ends of its interval. */
interface Mean {
  mean?: number | null;
  meanLow?: number | null;
  meanHigh?: number | null;
}

/** The interval of a mean; null where there is no spread to tell it from. */
export const meanInterval = ({ meanLow, meanHigh }: Mean): Interval | null =>
  meanLow == null || meanHigh == null ? null : { low: meanLow, high: meanHigh };

/** `2.87 ± 0.06`. */
export function meanText(of: Mean, digits = 2): string {
  if (of.mean == null) return '–';
  const interval = meanInterval(of);
  return interval === null
    ? fixed(of.mean, digits)
    : `${fixed(of.mean, digits)} ± ${(interval.high - of.mean).toFixed(digits)}`;
}

/** How far the intervals of the means reach. */
export function meanEnds(figures: Figures): number[] {
  return ratingsOf(figures).flatMap((rating) => {
    if (rating.mean == null) return [];
    const { low, high } = meanInterval(rating) ?? { low: rating.mean, high: rating.mean };
    return [low, high];
  });
}
