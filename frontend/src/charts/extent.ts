import type { Tally } from '@/api/types';
import { useState } from 'react';
import type { ChartKind } from '@/question-types/kind';
import { rangeOf } from './bins';
import { meanEnds, shareInterval } from './intervals';
import { ratingsOf, reach, tallyOf, type Figures } from './figures';

/** How far the axes of a chart must reach. */
export interface Extent {
  /** The ends of the range of numbers; for agreement, the reach of the bars to both sides. */
  low: number;
  high: number;
  /** The largest share that is drawn. */
  most: number;
}

/** Bars without answers still have a scale. */
const LEAST = 0.01;

export function extentOf(kind: ChartKind, figures: readonly Figures[], options: readonly string[]): Extent {
  if (kind === 'numbers') {
    const [low, high] = rangeOf(figures[0]?.bins ?? []);
    return { low, high, most: Math.max(0, ...figures.flatMap(({ bins }) => bins.map(({ share }) => share))) };
  }
  if (kind === 'means') {
    const ends = figures.flatMap(meanEnds);
    return { low: Math.min(...ends, 0), high: Math.max(...ends, LEAST), most: 0 };
  }
  if (kind === 'agreement') {
    const all = figures.flatMap(ratingsOf).map(reach);
    return {
      low: -Math.max(LEAST, ...all.map(({ left }) => left)),
      high: Math.max(LEAST, ...all.map(({ right }) => right)),
      most: 0,
    };
  }
  return { low: 0, high: 0, most: kind === 'texts' ? 0 : mostOf(options, figures) };
}

const endOf = (tally: Tally) => Math.max(shareInterval(tally).high, tally.probability?.mean ?? 0);

/** The largest upper end of the intervals of all bars, or mean probability beside them. */
function mostOf(options: readonly string[], all: readonly Figures[]): number {
  return Math.max(
    0,
    ...all.flatMap((figures) =>
      figures.n === 0 ? [] : options.map((option) => endOf(tallyOf(figures, option))),
    ),
  );
}

export const widest = (one: Extent, other: Extent): Extent => ({
  low: Math.min(one.low, other.low),
  high: Math.max(one.high, other.high),
  most: Math.max(one.most, other.most),
});

/**
 * The largest extent of a chart's axes since its key changed, while `holding`, so that live charts never shrink.
 */
export function useWidest(key: string, holding: boolean, extent: Extent): Extent {
  const [held, setHeld] = useState({ key, extent });
  if (!holding) return extent;
  const now = held.key === key ? widest(held.extent, extent) : extent;
  if (
    held.key !== key ||
    now.low !== held.extent.low ||
    now.high !== held.extent.high ||
    now.most !== held.extent.most
  ) {
    setHeld({ key, extent: now });
  }
  return now;
}
