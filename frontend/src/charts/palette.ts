import type { QuestionSummary } from '@/api/types';

/** A colour in a chart and that of a text on it. */
export interface Shade {
  fill: string;
  ink: string;
}

/** The tokens of agreement, from the lowest degree to the highest. */
const ANCHORS = ['n2', 'n1', '0', 'p1', 'p2'];
/** Groups in colours of their own; more of them stand apart in columns. */
const MOST_ORDERED = 5;
const MOST_UNORDERED = 6;

/** The value of twins that have none. */
export const NOT_STATED = '(not stated)';

/** A colour for each of a scale's degrees, from ochre over grey to teal. */
export function agreementShades(degrees: number): Shade[] {
  return Array.from({ length: degrees }, (_, index) => {
    const even = (index * (ANCHORS.length - 1)) / Math.max(1, degrees - 1);
    // Four degrees have no middle.
    const place = degrees === 4 ? ([0, 1, 3, 4][index] ?? 0) : even;
    const low = Math.floor(place);
    const above = Math.round((place - low) * 100);
    const color = (at: number) => `var(--div-${ANCHORS[at] ?? '0'})`;
    const fill = above === 0 ? color(low) : `color-mix(in srgb, ${color(low + 1)} ${above}%, ${color(low)})`;
    return { fill, ink: `var(--on-div-${ANCHORS[Math.round(place)] ?? '0'})` };
  });
}

/** The least number of values that have an order. */
const MIN_ORDERED = 3;

/** Words that values of an ordered attribute begin with. */
const DEGREE =
  /^(very|strongly|completely|extremely|less|more|at least|under|over|never|rarely|seldom|sometimes|often|always|daily|weekly|monthly|yearly|low|high|some college|postgrad)\b/i;

/** Whether values have an order: by the stated scale of their question, or else by numbers and words in them. */
export function isOrdered(values: readonly string[], scale?: QuestionSummary['scale']): boolean {
  if (values.length < MIN_ORDERED) return false;
  if (scale != null) return scale !== 'nominal';
  const numbered = values.filter((value) => /\d/.test(value)).length;
  const graded = values.filter((value) => DEGREE.test(value)).length;
  return numbered > values.length / 2 || graded >= 2;
}

/**
 * Shades of plum for groups with an order, else colours far apart; none where there are too many to tell by colour.
 * `scale`: that of the question whose answers make the groups.
 */
export function groupColors(
  values: readonly string[],
  scale?: QuestionSummary['scale'],
): ReadonlyMap<string, string> {
  const stated = values.filter((value) => value !== NOT_STATED);
  const ordered = isOrdered(stated, scale);
  const most = ordered ? MOST_ORDERED : MOST_UNORDERED;
  if (stated.length > most) return new Map();
  const colors = stated.map((value, index): [string, string] => {
    if (!ordered) return [value, `var(--chart-${index + 1})`];
    const place =
      stated.length === 1 ? 3 : 1 + Math.round((index * (MOST_ORDERED - 1)) / (stated.length - 1));
    return [value, `var(--group-${place})`];
  });
  return new Map([...colors, [NOT_STATED, 'var(--line-strong)']]);
}
