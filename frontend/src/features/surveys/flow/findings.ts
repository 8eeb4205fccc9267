import type { Design, Finding } from '@/api/design';
import { walk } from './nodes';

/** Findings by the innermost node that they point into. */
export function byNode(design: Design, findings: readonly Finding[]): Map<string, Finding[]> {
  const places = [...walk(design.flow)].map(({ at }) => at).sort((a, b) => b.length - a.length);
  const found = new Map<string, Finding[]>();
  for (const finding of findings) {
    const at = places.find((place) => finding.pointer === place || finding.pointer.startsWith(`${place}/`));
    if (at !== undefined) found.set(at, [...(found.get(at) ?? []), finding]);
  }
  return found;
}

/** The place of the question that a finding points into, from 0. */
export function questionOf({ pointer }: Finding): number | null {
  const place = /^\/questions\/(\d+)/.exec(pointer)?.[1];
  return place === undefined ? null : Number(place);
}
