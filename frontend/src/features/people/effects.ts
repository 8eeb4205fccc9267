import type { Compared } from '@/api/types';
import { count } from '@/ui/format';

type Arms = NonNullable<Compared['arms']>;
type Effect = Arms['effects'][number];
type Agreed = NonNullable<Arms['agreement']>;

interface Named {
  item: string;
  category?: string | null | undefined;
  arm: string;
  reference: string;
}

/** The question, and the option of a share. */
export const questionName = ({ item, category }: Pick<Named, 'item' | 'category'>) =>
  category == null ? item : `${item}: ${category}`;

/** `fair · fee against control`. */
export const contrastName = (of: Named) => `${questionName(of)} · ${of.arm} against ${of.reference}`;

/** The side that shows an effect, by the adjusted p. */
export function shownBy({ adjustedPeople, adjustedTwins }: Effect): string {
  const people = adjustedPeople.verdict === 'differs';
  const twins = adjustedTwins.verdict === 'differs';
  if (people && twins) return 'Both';
  if (people) return 'People only';
  return twins ? 'Twins only' : 'Neither';
}

/** The finding in one sentence: signs, and effects that people show. */
export function effectsFound({ effects, sameSign, shown }: Agreed): string {
  const { both, peopleOnly } = shown.counts;
  const signs = `Twins find the sign of ${count(Math.round(sameSign * effects))} of ${count(effects)} ${effects === 1 ? 'effect' : 'effects'}`;
  const people = both + peopleOnly;
  if (people === 0) return `${signs}; people show none beyond chance.`;
  return `${signs}, and show ${count(both)} of the ${count(people)} that people show.`;
}

/** Rows by a key, in the order of their first ones. */
export function groupBy<Row>(rows: readonly Row[], key: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group === undefined) groups.set(key(row), [row]);
    else group.push(row);
  }
  return groups;
}
