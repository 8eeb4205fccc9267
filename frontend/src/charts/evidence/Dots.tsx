import { fixed, withInterval } from '@/ui/numbers';
import { nameRoom, RowChart, type ChartRow } from '../RowChart';
import { linear } from '../scale';
import { Ticks, Word } from '../svg';
import { LINE_PX, widthOf, wrap } from '../text';

const GAP = 10;
const AXIS = 24;
const RADIUS = 5;
/** Narrower drawings have names above dots. */
const NARROW = 520;

export interface Dot {
  name: string;
  value: number;
  /** Null where there is no interval. */
  low: number | null;
  high: number | null;
}

/** Values with their intervals on one axis, a row each. */
export function Dots({
  dots,
  ends: [low, high],
  marks = [],
  words = (value) => fixed(value),
  width,
  label,
}: {
  dots: readonly Dot[];
  ends: readonly [number, number];
  /** Lines that values are read against. */
  marks?: readonly { at: number; name: string }[];
  words?: (value: number) => string;
  width: number;
  label: string;
}) {
  const stacked = width < NARROW;
  const textOf = (dot: Dot) => withInterval(dot, words);
  const figure = Math.max(0, ...dots.map((dot) => widthOf(textOf(dot), 600)));
  const names = dots.map(({ name }) => name);
  const room = stacked ? 0 : nameRoom(names, width, { share: 0.36 });
  const x = linear(
    low,
    high,
    stacked ? RADIUS + 2 : room + 16,
    stacked ? width - RADIUS - 2 : width - figure - 16,
  );
  const within = (value: number) => Math.min(high, Math.max(low, value));
  const rows = dots.map((dot): ChartRow => {
    const lines = wrap(dot.name, stacked ? width : room, 3);
    const text = lines.length * LINE_PX;
    const body = stacked ? text + LINE_PX + 16 : Math.max(text, 2 * RADIUS + 6);
    return {
      key: dot.name,
      name: { lines, full: dot.name },
      isStacked: stacked,
      at: stacked ? text + LINE_PX + 6 : body / 2,
      height: body + GAP,
      title: `${dot.name}: ${textOf(dot)}`,
      draw: (at) => (
        <>
          {dot.low !== null && dot.high !== null && (
            <line
              x1={x(within(dot.low))}
              x2={x(within(dot.high))}
              y1={at}
              y2={at}
              stroke="var(--ink)"
              strokeWidth={1.5}
            />
          )}
          <circle cx={x(within(dot.value))} cy={at} r={RADIUS} fill="var(--chart-answer)" />
          {stacked ? (
            <Word x={0} y={at - LINE_PX / 2 - 6} weight={600} text={textOf(dot)} />
          ) : (
            <Word x={width} y={at} anchor="end" weight={600} text={textOf(dot)} />
          )}
        </>
      ),
    };
  });
  return (
    <RowChart
      {...{ width, label }}
      top={AXIS}
      blocks={[{ key: 'dots', rows }]}
      ground={(end) => (
        <>
          <Ticks ends={[low, high]} x={x} words={words} from={AXIS - 4} to={end} />
          {marks.map(({ at, name }) => (
            <line
              key={name}
              x1={x(at)}
              x2={x(at)}
              y1={AXIS - 4}
              y2={end}
              stroke="var(--ink-soft)"
              strokeDasharray="4 3"
            >
              <title>{name}</title>
            </line>
          ))}
        </>
      )}
    />
  );
}
