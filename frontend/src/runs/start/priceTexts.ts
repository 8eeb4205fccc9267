import type { StudyPrice } from '@/api/prices';
import { duration, money } from '@/ui/format';

type Estimate = StudyPrice['estimate'];

/** `$1.01 ($0.86 to $1.16)`: the expected cost, and its range. */
export function costText({ low, expected, high }: NonNullable<Estimate['cost']>): string {
  const words = ({ amount, currency }: typeof low) => money(Number(amount), currency);
  const [least, likely, most] = [words(low), words(expected), words(high)];
  return least === most ? likely : `${likely} (${least} to ${most})`;
}

/** `45 s to 1 min 30 s`. */
export function timeText({
  estimate: { time },
  warnings,
}: Pick<StudyPrice, 'estimate' | 'warnings'>): string {
  const isDemo = warnings.some(({ code }) => code === 'demo_model');
  if (time == null) return isDemo ? 'under a minute' : 'up to the model server';
  if (time.source === 'batch') return 'within a day';
  if (time.highSeconds == null) return `${duration(time.lowSeconds)} or more`;
  const [low, high] = [duration(rounded(time.lowSeconds)), duration(rounded(time.highSeconds))];
  return low === high ? low : `${low} to ${high}`;
}

/** No more precise than an estimate is. */
function rounded(seconds: number): number {
  const step = seconds < 20 ? 1 : seconds < 60 ? 5 : seconds < 600 ? 30 : 60;
  return Math.max(1, Math.round(seconds / step) * step);
}
