import type { QuestionSummary } from '@/api/types';
import { newcombe, welch, type Interval } from '@/statistics';
import { points, signed } from '@/ui/numbers';
import { kindOf, type Part } from './figures';
import { NOT_STATED } from './palette';

/** The largest number of groups that are written one by one. */
const MOST_GROUPS = 4;

/** How far a group lies from the first one: in the mean of numbers, or in the share of an option. */
export interface Effect extends Interval {
  group: string;
  difference: number;
  /** Cohen's d of means; null of shares. */
  d: number | null;
}

export interface Effects {
  /** The group that the others are compared with. */
  base: string;
  /** The option of a choice whose shares lie furthest apart; null for numbers. */
  option: string | null;
  of: Effect[];
}

/** The effects of a question's groups, each against the first: Welch's interval for means, Newcombe's for shares. Null where there are none, or too many groups. */
export function effectsOf(question: QuestionSummary, parts: readonly Part[]): Effects | null {
  const groups = parts.filter(({ name, figures }) => name !== NOT_STATED && figures.n > 0);
  const [base, ...others] = groups;
  if (base === undefined || others.length === 0 || groups.length > MOST_GROUPS) return null;
  const kind = kindOf(question);
  if (kind === 'numbers') {
    const sample = ({ figures: { n, mean, sd } }: Part) =>
      mean == null || sd == null ? null : { n, mean, sd };
    const first = sample(base);
    const effects = others.map((other): Effect | null => {
      const own = sample(other);
      const test = first && own && welch(own, first);
      return (
        test && { group: other.name, difference: test.difference, low: test.low, high: test.high, d: test.d }
      );
    });
    return unlessEmpty(base.name, null, effects);
  }
  if (kind !== 'choice') return null;
  const share = (part: Part, place: number) => part.figures.counts[place]?.share ?? 0;
  const gap = (place: number) =>
    Math.max(...others.map((other) => Math.abs(share(other, place) - share(base, place))));
  const widest = question.counts.reduce((most, _, place) => (gap(place) > gap(most) ? place : most), 0);
  const counted = ({ figures: { n, counts } }: Part) => [counts[widest]?.count ?? 0, n] as const;
  const effects = others.map((other): Effect | null => {
    const found = newcombe(...counted(other), ...counted(base));
    return found && { group: other.name, ...found, d: null };
  });
  return unlessEmpty(base.name, question.counts[widest]?.value ?? null, effects);
}

function unlessEmpty(
  base: string,
  option: string | null,
  effects: readonly (Effect | null)[],
): Effects | null {
  const of = effects.filter((effect) => effect !== null);
  return of.length === 0 ? null : { base, option, of };
}

/** `Mean: service − resort: −0.42 (95 % CI −0.80 to −0.04).`; of a choice without its option, which is named before; empty where there is none. */
export function effectWords(effects: Effects | null): string {
  if (effects === null) return '';
  const { base, option, of } = effects;
  const [show, unit] = option === null ? [signed, ''] : [points, ' points'];
  const each = of.map(
    ({ group, difference, low, high }) =>
      `${group} − ${base}: ${show(difference)}${unit} (95 % CI ${show(low)} to ${show(high)})`,
  );
  return `${option === null ? ' Mean: ' : ' '}${each.join('; ')}.`;
}
