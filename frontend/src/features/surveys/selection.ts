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

/** Ids separated by comma, space or newline: those from 1 to `last`, each once, at most `count` of them. */
export function parsePersonaIds(text: string, last: number, count: number): number[] {
  const ids = text
    .split(/[\s,]+/)
    .filter((part) => /^\d+$/.test(part))
    .map(Number)
    .filter((id) => id >= 1 && id <= last);
  return [...new Set(ids)].slice(0, count);
}
