import type { components } from '@/api/schema';
import type { QuestionSummary } from '@/api/types';
import { points, signed } from '@/ui/numbers';
import { kindOf, type Part } from './figures';
import { NOT_STATED } from './palette';

export type GroupDifference = components['schemas']['GroupDifference'];

/** The largest number of groups that are written one by one. */
const MAX_GROUPS = 4;

/** The differences in the option whose shares lie furthest apart; all of them where means are compared. */
export function widestOf(differences: readonly GroupDifference[]): GroupDifference[] {
  const gap = ({ difference }: GroupDifference) => Math.abs(difference);
  const [first, ...others] = differences;
  if (first === undefined) return [];
  const widest = others.reduce((most, each) => (gap(each) > gap(most) ? each : most), first);
  return differences.filter(({ option }) => option === widest.option);
}

/**
 * How far groups lie from the first: `Mean: service − resort: −0.42 (95 % CI −0.80 to −0.04).`; of a choice without its option,
 * which is named before. Empty where there is nothing to compare, or too many groups.
 */
export function effectWords(question: QuestionSummary, parts: readonly Part[]): string {
  const groups = parts.filter(({ name, figures }) => name !== NOT_STATED && figures.n > 0);
  const kind = kindOf(question);
  if (groups.length > MAX_GROUPS || (kind !== 'numbers' && kind !== 'choice')) return '';
  const shown = widestOf(question.differences);
  if (shown.length === 0) return '';
  const [show, unit] = kind === 'numbers' ? [signed, ''] : [points, ' points'];
  const each = shown.map(
    ({ group, base, difference, low, high }) =>
      `${group} − ${base}: ${show(difference)}${unit} (95 % CI ${show(low)} to ${show(high)})`,
  );
  return `${kind === 'numbers' ? ' Mean: ' : ' '}${each.join('; ')}.`;
}
