import { useLayoutEffect, useRef, useState } from 'react';
import type { Tally } from '@/api/types';
import { useWidth } from '@/charts/useWidth';
import {
  countRows,
  LARGE_FIGURE_EM,
  layOutLabels,
  SMALL_FIGURE_EM,
  type LabelLayout,
  type LabelPlace,
} from './labels';
import { percent } from './slides';

/**
 * The shares above their dots: each label begins at the left edge of its own dots. Where it is wider than they are, the
 * labels stand in several rows, with a line down to the dots. Labels that need too many rows are a list under the dots:
 * above them they would stand over the dots of other answers.
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
  // No places before the labels are measured.
  const [{ kind, places }, setLayout] = useState<LabelLayout>({ kind: 'large', places: [] });
  const starts = parts.map((_, place) =>
    parts.slice(0, place).reduce((sum, { share }) => sum + share * filled, 0),
  );
  const drawn = JSON.stringify(parts.map(({ value }, place) => [value, starts[place]]));
  useLayoutEffect(() => {
    if (list.current === null) return;
    const labels = [...list.current.children].map((label, index) => {
      const [name = 0, figure = 0] = [...label.children].map((part) => (part as HTMLElement).offsetWidth);
      const size = label.classList.contains('share-small') ? SMALL_FIGURE_EM : LARGE_FIGURE_EM;
      return { at: (starts[index] ?? 0) * width, name, figure: figure / size };
    });
    const next = layOutLabels(labels, width);
    setLayout((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    // `drawn` says all of the parts that is measured.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [width, drawn]);
  return (
    <div ref={measure}>
      <dl ref={list} className={classes[kind]} style={{ '--rows': countRows(places) }}>
        {parts.map((part, place) => (
          <div
            key={part.value}
            className={kind === 'large' ? undefined : 'share-small'}
            style={kind === 'listed' ? undefined : styleOf((starts[place] ?? 0) * width, places[place])}
          >
            <Label part={part} color={colors[place]} />
          </div>
        ))}
      </dl>
    </div>
  );
}

const classes = { large: 'shares-above', small: 'shares-above shares-small', listed: 'shares-listed' };

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
