import { fixed } from '@/ui/numbers';
import { stackRows } from '../rows';
import { linear } from '../scale';
import { Drawing, Lines, Ticks, Word } from '../svg';
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
  const textOf = ({ value, low: from, high: to }: Dot) =>
    from === null || to === null ? words(value) : `${words(value)} [${words(from)}, ${words(to)}]`;
  const figure = Math.max(0, ...dots.map((dot) => widthOf(textOf(dot), 600)));
  const room = stacked
    ? 0
    : Math.min(width * 0.36, Math.max(60, ...dots.map(({ name }) => widthOf(name))) + 4);
  const x = linear(
    low,
    high,
    stacked ? RADIUS + 2 : room + 16,
    stacked ? width - RADIUS - 2 : width - figure - 16,
  );
  const within = (value: number) => Math.min(high, Math.max(low, value));
  const { rows, height } = stackRows(
    dots,
    ({ name }) => {
      const lines = wrap(name, stacked ? width : room, 3);
      const body = stacked
        ? (lines.length + 1) * LINE_PX + 16
        : Math.max(lines.length * LINE_PX, 2 * RADIUS + 6);
      return { lines, height: body + GAP, body };
    },
    AXIS,
  );
  return (
    <Drawing width={width} height={height} label={label}>
      <Ticks ends={[low, high]} x={x} words={words} from={AXIS - 4} to={height} />
      {marks.map(({ at, name }) => (
        <line
          key={name}
          x1={x(at)}
          x2={x(at)}
          y1={AXIS - 4}
          y2={height}
          stroke="var(--ink-soft)"
          strokeDasharray="4 3"
        >
          <title>{name}</title>
        </line>
      ))}
      {rows.map(({ item: dot, lines, y, body }) => {
        const at = stacked ? y + lines.length * LINE_PX + LINE_PX + 6 : y + body / 2;
        return (
          <g key={dot.name}>
            <title>{`${dot.name}: ${textOf(dot)}`}</title>
            <Lines
              x={0}
              y={stacked ? y + LINE_PX / 2 : y + body / 2 - ((lines.length - 1) * LINE_PX) / 2}
              lines={lines}
              full={dot.name}
            />
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
              <Word x={0} y={y + lines.length * LINE_PX + LINE_PX / 2} weight={600} text={textOf(dot)} />
            ) : (
              <Word x={width} y={at} anchor="end" weight={600} text={textOf(dot)} />
            )}
          </g>
        );
      })}
    </Drawing>
  );
}
