/** The count that the start dialog opens with: the preferred one of the user's settings, or all there are. */
export function defaultCount(total: number, preferred = 100): number {
  return Math.min(preferred, total);
}

/** A whole number from 1 to `total`. */
export function clampCount(count: number, total: number): number {
  return Math.max(1, Math.min(Math.trunc(count) || 1, total));
}

/** Ids separated by comma, space or newline: those from 1 to `total`, each once, at most `count` of them. */
export function parsePersonaIds(text: string, total: number, count: number): number[] {
  const ids = text
    .split(/[\s,]+/)
    .filter((part) => /^\d+$/.test(part))
    .map(Number)
    .filter((id) => id >= 1 && id <= total);
  return [...new Set(ids)].slice(0, count);
}
