/** Places the numbers from `low` to `high` between two pixels. */
export function linear(low: number, high: number, start: number, end: number): (value: number) => number {
  const step = high === low ? 0 : (end - start) / (high - low);
  return (value) => start + (value - low) * step;
}

/** The end of an axis of shares: a fifth, two fifths .. of all. */
export const shareAxis = (most: number) => Math.min(1, Math.max(0.2, Math.ceil(most * 5 - 1e-9) / 5));

/** The end of an axis from 0 that holds this number: half of it is round, too. */
export function numberAxis(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 4, 5, 6, 8, 10].find((each) => each * power >= most) ?? 10;
  return step * power;
}
