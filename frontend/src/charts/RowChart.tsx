import { Fragment, type ReactNode } from 'react';
import { stackRows } from './rows';
import { Drawing, Lines, Word } from './svg';
import { LINE_PX, widthOf } from './text';

/** A text of a chart in its lines. */
interface Text {
  lines: readonly string[];
  /** The text before it was cut. */
  full: string;
  weight?: number;
  fill?: string;
}

export interface ChartRow {
  key: string;
  name: Text;
  /** The name stands above the marks; else beside them. */
  isStacked?: boolean;
  /** The middle of the marks, from the row's top, in pixels. */
  at: number;
  height: number;
  /** Shown under the mouse. */
  title?: string;
  /** Draws the marks and figures of the row about the middle `at`. */
  draw: (at: number) => ReactNode;
}

/** Rows below one heading. */
export interface RowBlock {
  key: string;
  heading?: Text;
  /** A note at the right end of the heading's line. */
  aside?: string | undefined;
  /** A note below the heading; `y` is the middle of its first line, from the block's top. */
  note?: { lines: readonly string[]; y: number };
  /** Room above the rows, for heading and notes, and below them, in pixels. */
  before?: number;
  after?: number;
  rows: readonly ChartRow[];
}

/** Room for names beside their rows: as wide as the widest, but at most a share of the drawing. */
export const nameRoom = (
  names: readonly string[],
  width: number,
  { share, min = 60, weight = 400 }: { share: number; min?: number; weight?: number },
) => Math.min(width * share, Math.max(min, ...names.map((name) => widthOf(name, weight))) + 4);

/** Rows of names and marks in blocks, one below the other. */
export function RowChart({
  width,
  label,
  top = 0,
  below = 0,
  blocks,
  ground,
  cover,
}: {
  width: number;
  label: string;
  /** Room above the first block and below the last one, in pixels. */
  top?: number;
  below?: number;
  blocks: readonly RowBlock[];
  /** Drawn before the blocks and after them: legend, heads of columns, axes. `end`: the lower end of the last block. */
  ground?: (end: number) => ReactNode;
  cover?: (end: number) => ReactNode;
}) {
  const { rows: placed, height: end } = stackRows(
    blocks,
    ({ before = 0, after = 0, rows }) => ({
      height: rows.reduce((sum, { height }) => sum + height, before) + after,
    }),
    top,
  );
  return (
    <Drawing width={width} height={end + below} label={label}>
      {ground?.(end)}
      {placed.map(({ item: { key, heading, aside, note, before = 0, rows }, y }) => (
        <Fragment key={key}>
          {heading !== undefined && <Lines x={0} y={y + LINE_PX / 2} {...heading} />}
          {aside !== undefined && (
            <Word x={width} y={y + LINE_PX / 2} anchor="end" symbols text={aside} fill="var(--ink-soft)" />
          )}
          {note !== undefined && (
            <Lines x={0} y={y + note.y} symbols lines={note.lines} fill="var(--ink-soft)" />
          )}
          {stackRows(rows, ({ height }) => ({ height }), y + before).rows.map(({ item: row, y: top }) => {
            const { name, isStacked = false, title } = row;
            const at = top + row.at;
            const first = isStacked ? top + LINE_PX / 2 : at - ((name.lines.length - 1) * LINE_PX) / 2;
            return (
              <g key={row.key}>
                {title !== undefined && <title>{title}</title>}
                <Lines x={0} y={first} {...name} />
                {row.draw(at)}
              </g>
            );
          })}
        </Fragment>
      ))}
      {cover?.(end)}
    </Drawing>
  );
}
