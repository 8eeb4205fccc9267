/** Places the numbers from `low` to `high` between two pixels. */
export function linear(low: number, high: number, start: number, end: number): (value: number) => number {
  const step = high === low ? 0 : (end - start) / (high - low);
  return (value) => start + (value - low) * step;
}

/** The end of an axis of shares: a fifth, two fifths .. of all. */
export const shareAxis = (most: number) => Math.min(1, Math.max(0.2, Math.ceil(most * 5 - 1e-9) / 5));
