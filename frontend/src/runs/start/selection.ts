/**
 * The count that the start dialog opens with: the preferred one of the user's settings, or all there are, or as many as
 * the credits allow. Without credits it shows what is missing.
 */
export function defaultCount(total: number, affordable: number, preferred = 100): number {
  const count = Math.min(preferred, total);
  return affordable >= 1 ? Math.min(count, affordable) : count;
}

/** A whole number from 1 to `total`. */
export function clampCount(count: number, total: number): number {
  return Math.max(1, Math.min(Math.trunc(count) || 1, total));
}

/** A part of a typed list that names nobody further. */
export interface Ignored {
  text: string;
  why: string;
}

/**
 * Ids and ranges of ids (`1-50, 77`) separated by comma, semicolon, space or newline: those from 1 to `last`, each once,
 * in the order typed; and what was left out. Nobody has an id that is `missing`.
 */
export function readPersonaIds(
  text: string,
  last: number,
  missing: readonly number[] = [],
): { ids: number[]; ignored: Ignored[] } {
  const deleted = new Set(missing);
  const gaps = new Set<number>();
  const ids = new Set<number>();
  const ignored: Ignored[] = [];
  for (const part of text.split(/[\s,;]+/).filter((each) => each !== '')) {
    const [, one, other = one] = /^(\d+)(?:[-–](\d+))?$/.exec(part) ?? [];
    if (one === undefined) {
      ignored.push({ text: part, why: 'not an id' });
      continue;
    }
    const [from, to] = [Number(one), Number(other)].sort((a, b) => a - b) as [number, number];
    const before = ids.size + gaps.size;
    for (let id = Math.max(1, from); id <= Math.min(to, last); id += 1)
      (deleted.has(id) ? gaps : ids).add(id);
    if (from < 1) ignored.push({ text: '0', why: 'ids begin at 1' });
    if (to > last) {
      const beyond = Math.max(from, last + 1);
      ignored.push({ text: beyond === to ? `${to}` : `${beyond}-${to}`, why: `the last id is ${last}` });
    } else if (ids.size + gaps.size === before && to >= 1) {
      ignored.push({ text: part, why: 'named before' });
    }
  }
  for (const id of gaps) ignored.push({ text: `${id}`, why: 'deleted' });
  return { ids: [...ids], ignored };
}

const NAMED = 5;

/** `abc (not an id), 99999 (the last id is 2058) and 3 more`. */
export function ignoredText(ignored: Ignored[]): string {
  const named = ignored.slice(0, NAMED).map(({ text, why }) => `${text} (${why})`);
  const more = ignored.length - named.length;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
