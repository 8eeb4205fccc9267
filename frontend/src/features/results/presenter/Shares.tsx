import { useLayoutEffect, useRef, useState } from 'react';
import type { Tally } from '@/api/types';
import { useWidth } from '../charts/useWidth';
import { placeLabels, type LabelPlace } from './labels';
import { percent } from './slides';

/** With more answers their shares are a list. */
const MOST_LABELS = 7;
/** Sizes of the figure beside the name of a label, in em, as `pictures.css` has them. */
const LARGE = 2.25;
const SMALL = 1.25;
/** Between the figure and the name of a small label. */
const BETWEEN_PX = 8;
/** Large labels take at most so many rows; more of them become small. */
const MOST_LARGE_ROWS = 2;

interface Placed {
  isSmall: boolean;
  /** None before the labels are measured. */
  places: readonly LabelPlace[];
}

/**
 * The shares above their dots: each label begins at the left edge of its own dots. Where it is wider than they are, the
 * labels stand in several rows, with a line down to the dots.
 */
export function Shares({
  parts,
  colors,
  filled,
}: {
  parts: readonly Tally[];
  colors: readonly string[];
  /** The part of the field that has dots of answers, 0 to 1. */
  filled: number;
}) {
  const [width, measure] = useWidth();
  const list = useRef<HTMLDListElement>(null);
  const [{ isSmall, places }, setPlaced] = useState<Placed>({ isSmall: false, places: [] });
  const isAbove = parts.length <= MOST_LABELS;
  const starts = parts.map((_, place) =>
    parts.slice(0, place).reduce((sum, { share }) => sum + share * filled, 0),
  );
  const drawn = JSON.stringify(parts.map(({ value }, place) => [value, starts[place]]));
  useLayoutEffect(() => {
    if (!isAbove || list.current === null) return;
    const labels = [...list.current.children].map((label) => {
      const [name = 0, figure = 0] = [...label.children].map((part) => (part as HTMLElement).offsetWidth);
      return { name, figure: figure / (label.classList.contains('share-small') ? SMALL : LARGE) };
    });
    const place = (widthOf: (label: (typeof labels)[number]) => number) =>
      placeLabels(
        labels.map((label, index) => ({ at: (starts[index] ?? 0) * width, width: widthOf(label) })),
        width,
      );
    const large = place(({ name, figure }) => Math.max(name, figure * LARGE));
    const next: Placed =
      rowsOf(large) <= MOST_LARGE_ROWS
        ? { isSmall: false, places: large }
        : { isSmall: true, places: place(({ name, figure }) => name + figure * SMALL + BETWEEN_PX) };
    setPlaced((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    // `drawn` says all of the parts that is measured.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isAbove, width, drawn]);
  if (!isAbove) {
    return (
      <dl className="presenter-shares">
        {parts.map((part, place) => (
          <div key={part.value}>
            <Label part={part} color={colors[place]} />
          </div>
        ))}
      </dl>
    );
  }
  return (
    <div ref={measure}>
      <dl
        ref={list}
        className={isSmall ? 'shares-above shares-small' : 'shares-above'}
        style={{ '--rows': rowsOf(places) }}
      >
        {parts.map((part, place) => (
          <div
            key={part.value}
            className={isSmall ? 'share-small' : undefined}
            style={styleOf((starts[place] ?? 0) * width, places[place])}
          >
            <Label part={part} color={colors[place]} />
          </div>
        ))}
      </dl>
    </div>
  );
}

const rowsOf = (places: readonly LabelPlace[]) => Math.max(0, ...places.map(({ row }) => row)) + 1;

const styleOf = (at: number, { from, row }: LabelPlace = { from: at, row: 0 }) => ({
  '--from': `${from}px`,
  '--row': row,
  '--lead': `${Math.max(0, at - from)}px`,
});

function Label({ part: { value, share }, color }: { part: Tally; color: string | undefined }) {
  return (
    <>
      <dt>
        <span className="swatch" style={{ background: color }} />
        {value}
      </dt>
      <dd>
        {percent(share)}
        <small> %</small>
      </dd>
    </>
  );
}
