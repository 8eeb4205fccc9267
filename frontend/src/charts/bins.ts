import type { Bin } from '@/api/types';
import { formatShort } from '@/ui/numbers';
import { widthOf } from './text';

/** The ends of a bar: a single number stands in the middle of its own. */
export const edges = ({ from, to }: Pick<Bin, 'from' | 'to'>): [number, number] =>
  from === to ? [from - 0.5, to + 0.5] : [from, to];

/** The numbers that bins reach over. */
export function rangeOf(bins: readonly Bin[]): [number, number] {
  const [first, last] = [bins[0], bins.at(-1)];
  return first === undefined || last === undefined ? [0, 1] : [edges(first)[0], edges(last)[1]];
}

/** `3`, `10 to 20`. */
export const binName = ({ from, to }: Bin) =>
  from === to ? formatShort(from) : `${formatShort(from)} to ${formatShort(to)}`;

/** Numbers below their bars, limits of intervals at the edges; so many that they do not touch. */
export function axisLabels(bins: readonly Bin[], x: (value: number) => number) {
  const single = bins[0] !== undefined && bins[0].from === bins[0].to;
  const last = bins.at(-1);
  const values =
    single || last === undefined ? bins.map(({ from }) => from) : [...bins.map(({ from }) => from), last.to];
  const wide = Math.max(0, ...values.map((value) => widthOf(formatShort(value))));
  // The last one ends where its place is, and so comes nearer to the one before it by half of its width.
  const widest = Math.max(wide + 12, 1.5 * wide + 3);
  const gap = values.length > 1 ? (x(values.at(-1) ?? 0) - x(values[0] ?? 0)) / (values.length - 1) : widest;
  // Every second, third .. one; such that the last one is among them where that can be.
  const least = Math.max(1, Math.ceil(widest / gap));
  const step = [least, least + 1, least + 2].find((each) => (values.length - 1) % each === 0) ?? least;
  return values.flatMap((value, index) => {
    if (index % step !== 0) return [];
    const anchor: 'start' | 'middle' | 'end' = single
      ? 'middle'
      : index === 0
        ? 'start'
        : index === values.length - 1
          ? 'end'
          : 'middle';
    return [{ at: x(value), text: formatShort(value), anchor }];
  });
}
