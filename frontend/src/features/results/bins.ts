import type { Tally } from '@/api/types';

const MOST = 20;

export interface Bin {
  label: string;
  count: number;
}

/** The values themselves where there are few, else at most twenty intervals of equal width. */
export function bins(counts: readonly Tally[]): Bin[] {
  const values = counts
    .map(({ value, count }) => ({ value: Number(value), count }))
    .filter(({ value }) => Number.isFinite(value))
    .sort((a, b) => a.value - b.value);
  if (values.length <= MOST) return values.map(({ value, count }) => ({ label: String(value), count }));
  const low = values[0]?.value ?? 0;
  const width = ((values.at(-1)?.value ?? 0) - low) / MOST;
  const totals = new Array<number>(MOST).fill(0);
  for (const { value, count } of values) {
    const index = Math.min(MOST - 1, Math.floor((value - low) / width));
    totals[index] = (totals[index] ?? 0) + count;
  }
  return totals.map((count, index) => ({ label: round(low + index * width), count }));
}

const round = (value: number) => String(Math.round(value * 100) / 100);
