import type { ReactNode } from 'react';
import { plainText } from '@/ui/piped';
import { SymbolSpans } from './symbols';
import { FAMILY, LINE_PX, TEXT_PX, widthOf, wrap } from './text';

/** A drawing of a height; every colour in it is a variable of `tokens.css`, so that it follows the theme. */
export function Drawing({
  width,
  height,
  label,
  children,
}: {
  width: number;
  height: number;
  label: string;
  children: ReactNode;
}) {
  return (
    <svg
      className="drawing"
      xmlns="http://www.w3.org/2000/svg"
      role="img"
      aria-label={label}
      width={width}
      height={Math.ceil(height)}
      viewBox={`0 0 ${width} ${Math.ceil(height)}`}
      fontFamily={FAMILY}
      fontSize={TEXT_PX}
      fill="var(--ink)"
    >
      {children}
    </svg>
  );
}

/** Lines of text; `y` is the middle of the first line. */
export function Lines({
  lines,
  x,
  y,
  anchor = 'start',
  weight = 400,
  fill = 'var(--ink)',
  full,
  symbols = false,
}: {
  lines: readonly string[];
  x: number;
  y: number;
  anchor?: 'start' | 'middle' | 'end';
  weight?: number;
  fill?: string;
  /** Shown under the mouse: the text before it was cut. */
  full?: string;
  /** Statistics. */
  symbols?: boolean;
}) {
  return (
    <text x={x} y={y} textAnchor={anchor} fontWeight={weight} fill={fill} dominantBaseline="central">
      {full !== undefined && lines.join(' ') !== plainText(full) && <title>{plainText(full)}</title>}
      {lines.map((line, index) => (
        <tspan key={index} x={x} dy={index === 0 ? 0 : LINE_PX}>
          {symbols ? <SymbolSpans text={line} /> : line}
        </tspan>
      ))}
    </text>
  );
}

/** One line of text. */
export function Word({ text, ...place }: Omit<Parameters<typeof Lines>[0], 'lines'> & { text: string }) {
  return <Lines {...place} lines={[plainText(text)]} />;
}

/** The ends and the middle of an axis above the rows that it crosses. */
export function Ticks({
  ends: [low, high],
  x,
  words,
  from,
  to,
}: {
  ends: readonly [number, number];
  x: (value: number) => number;
  words: (value: number) => string;
  /** The upper and the lower end of the lines, in pixels. */
  from: number;
  to: number;
}) {
  const ticks = [
    { tick: low, anchor: 'start' as const },
    { tick: (low + high) / 2, anchor: 'middle' as const },
    { tick: high, anchor: 'end' as const },
  ];
  return ticks.map(({ tick, anchor }) => (
    <g key={anchor}>
      <Word x={x(tick)} y={LINE_PX / 2} anchor={anchor} text={words(tick)} fill="var(--ink-soft)" />
      <line x1={x(tick)} x2={x(tick)} y1={from} y2={to} stroke="var(--line)" />
    </g>
  ));
}

/** An interval across or along: ink outside a bar that ends at `bar`, the bar's ground inside it. */
export function Whisker({
  from,
  to,
  bar,
  at,
  upright = false,
}: {
  from: number;
  to: number;
  /** The end of the bar, in the same pixels. */
  bar: number;
  /** The middle of the bar across. */
  at: number;
  upright?: boolean;
}) {
  const edge = Math.min(Math.max(bar, Math.min(from, to)), Math.max(from, to));
  const line = (start: number, end: number, stroke: string) =>
    upright ? (
      <line x1={at} x2={at} y1={start} y2={end} stroke={stroke} strokeWidth={1.5} />
    ) : (
      <line x1={start} x2={end} y1={at} y2={at} stroke={stroke} strokeWidth={1.5} />
    );
  return (
    <>
      {line(from, edge, 'var(--surface)')}
      {line(edge, to, 'var(--ink)')}
    </>
  );
}

/** A colour of the legend and its name. */
export interface Key {
  name: string;
  fill: string;
  note?: string | undefined;
}

const SWATCH = 10;
const KEY_GAP = 20;

/** Places the keys of a legend, and measures its height. */
export function legend(
  keys: readonly Key[],
  width: number,
): { at: { x: number; y: number; text: string }[]; height: number } {
  let [x, y] = [0, 0];
  const at = keys.map(({ name, note }) => {
    const noted = note === undefined ? 0 : widthOf(note) + 5;
    const text = wrap(name, Math.max(60, width - SWATCH - 8 - noted), 1)[0] ?? '';
    const room = SWATCH + 6 + widthOf(text) + noted;
    if (x > 0 && x + room > width) [x, y] = [0, y + LINE_PX + 4];
    const place = { x, y, text };
    x += room + KEY_GAP;
    return place;
  });
  return { at, height: keys.length === 0 ? 0 : y + LINE_PX + 10 };
}

export function Legend({ keys, width }: { keys: readonly Key[]; width: number }) {
  const { at } = legend(keys, width);
  return (
    <>
      {keys.map(({ name, fill, note }, index) => {
        const place = at[index] ?? { x: 0, y: 0, text: name };
        const middle = place.y + LINE_PX / 2;
        return (
          <g key={name}>
            <rect
              x={place.x}
              y={middle - SWATCH / 2}
              width={SWATCH}
              height={SWATCH}
              rx={2}
              fill={fill}
              stroke="var(--line-strong)"
              strokeWidth={0.5}
            />
            <Word x={place.x + SWATCH + 6} y={middle} text={place.text} full={name} />
            {note !== undefined && (
              <Word
                x={place.x + SWATCH + 11 + widthOf(place.text)}
                y={middle}
                text={note}
                fill="var(--ink-soft)"
              />
            )}
          </g>
        );
      })}
    </>
  );
}
