import type { ReactNode } from 'react';
import { linear } from './scale';
import { Drawing, Word } from './svg';
import { LINE_PX } from './text';

/** Room for the words of the axes at the left and below, in pixels. */
export const AXIS_PX = 44;
const MAX_SIDE = 460;

type Ends = readonly [low: number, high: number];
type Place = (value: number) => number;

/** The ends of an axis that holds these numbers with some room about them. */
export function axisAround(values: readonly number[]): Ends {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = high === low ? 1 : (high - low) * 0.04;
  return [low - room, high + room];
}

/** Two axes with marks between them; a square unless it has a height of its own. */
export function Plot({
  width,
  maxWidth = MAX_SIDE,
  height,
  x: xEnds,
  y: yEnds,
  right = 4,
  top = 4,
  xTitle,
  label,
  children,
}: {
  width: number;
  maxWidth?: number;
  height?: number;
  x: Ends;
  y: Ends;
  /** Room at the right and above, in pixels. */
  right?: number;
  top?: number;
  /** Below the horizontal axis. */
  xTitle: string;
  label: string;
  /** The marks; `tickY` is the height at which the words of the horizontal axis stand. */
  children: (x: Place, y: Place, tickY: number) => ReactNode;
}) {
  const across = Math.min(maxWidth, width);
  const down = height ?? across;
  const x = linear(...xEnds, AXIS_PX, across - right);
  const y = linear(...yEnds, down - AXIS_PX, top);
  return (
    <Drawing width={across} height={down} label={label}>
      {children(x, y, down - AXIS_PX + LINE_PX)}
      <Word x={(x(xEnds[0]) + x(xEnds[1])) / 2} y={down - 8} anchor="middle" text={xTitle} />
    </Drawing>
  );
}

/** Lines across a plot at no, half and all of a share, with their words. */
export function ShareLines({ from, to, y }: { from: number; to: number; y: Place }) {
  return [0, 0.5, 1].map((share) => (
    <g key={share}>
      <line x1={from} x2={to} y1={y(share)} y2={y(share)} stroke="var(--line)" />
      <Word x={AXIS_PX - 6} y={y(share)} anchor="end" text={`${100 * share} %`} fill="var(--ink-soft)" />
    </g>
  ));
}

/** The diagonal of two equal axes. */
export function Diagonal({
  ends: [low, high],
  x,
  y,
  title,
}: {
  ends: Ends;
  x: Place;
  y: Place;
  title: string;
}) {
  return (
    <line x1={x(low)} x2={x(high)} y1={y(low)} y2={y(high)} stroke="var(--ink-soft)" strokeDasharray="4 3">
      <title>{title}</title>
    </line>
  );
}
