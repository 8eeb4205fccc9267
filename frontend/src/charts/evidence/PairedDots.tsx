import { formatDecimal, withInterval } from '@/ui/numbers';
import { nameRoom, RowChart, type ChartRow, type RowBlock } from '../RowChart';
import { linear } from '../scale';
import { Word } from '../svg';
import { LINE_PX, widthOf, wrap } from '../text';

const AXIS = 46;
const RADIUS = 4.5;
/** The distance of both dots from the middle of their row, in pixels. */
const APART = 6;
const ROW = 2 * (APART + RADIUS) + 7;
const HEADING = LINE_PX + 6;
/** Narrower drawings have names above dots. */
const NARROW = 560;

interface Side {
  value: number;
  low: number;
  high: number;
}

export interface Pair {
  key: string;
  name: string;
  /** Null where this side has no effect. */
  people: Side | null;
  twins: Side | null;
  /** Whether people show an effect. */
  isShown: boolean;
  /** Stands in for the dots, where the two cannot be compared. */
  reason?: string;
}

/** People's values as open rings above twins' as filled dots, a row a pair, in blocks on one axis. */
export function PairedDots({
  blocks,
  ends: [low, high],
  width,
  label,
}: {
  blocks: readonly { key: string; heading: string; pairs: readonly Pair[] }[];
  ends: readonly [number, number];
  width: number;
  label: string;
}) {
  const stacked = width < NARROW;
  const names = blocks.flatMap(({ pairs }) => pairs.map(({ name }) => name));
  const room = stacked ? 0 : nameRoom(names, width, { share: 0.4 });
  const x = linear(low, high, stacked ? 6 : room + 16, width - 6);
  const within = (value: number) => Math.min(high, Math.max(low, value));
  const side = ({ value, low: from, high: to }: Side, at: number, colour: string, isOpen: boolean) => (
    <>
      <line x1={x(within(from))} x2={x(within(to))} y1={at} y2={at} stroke={colour} strokeWidth={1.5} />
      <circle
        cx={x(within(value))}
        cy={at}
        r={RADIUS}
        fill={isOpen ? 'var(--surface)' : colour}
        stroke={colour}
        strokeWidth={1.5}
      />
    </>
  );
  const rowOf = ({ key, name, people, twins, isShown, reason }: Pair): ChartRow => {
    const lines = wrap(name, stacked ? width : room, 3);
    const text = lines.length * LINE_PX;
    const height = stacked ? text + ROW : Math.max(ROW, text + 6);
    const words = (who: string, of: Side | null) => (of === null ? [] : [`${who} ${withInterval(of)}`]);
    return {
      key,
      name: { lines, full: name, weight: isShown ? 600 : 400 },
      isStacked: stacked,
      at: stacked ? text + ROW / 2 : height / 2,
      height,
      title: [`${name}: ${[...words('people', people), ...words('twins', twins)].join(', ')}`, reason ?? '']
        .filter(Boolean)
        .join('; '),
      draw: (at) => (
        <>
          {isShown && (
            <rect
              x={x(low) - 6}
              y={at - ROW / 2 + 1}
              width={x(high) - x(low) + 12}
              height={ROW - 2}
              rx={4}
              fill="var(--surface-2)"
            />
          )}
          <line x1={x(0)} x2={x(0)} y1={at - ROW / 2} y2={at + ROW / 2} stroke="var(--line-strong)" />
          {people !== null && side(people, at - APART, 'var(--chart-mean)', true)}
          {twins !== null && side(twins, at + APART, 'var(--chart-answer)', false)}
          {reason !== undefined && people === null && twins === null && (
            <Word x={x(0) + 8} y={at} text={reason} fill="var(--ink-soft)" />
          )}
        </>
      ),
    };
  };
  const ticks = [low, 0, high];
  return (
    <RowChart
      {...{ width, label }}
      top={AXIS}
      blocks={blocks.map(({ key, heading, pairs }): RowBlock => ({
        key,
        heading: { lines: wrap(heading, width, 1), full: heading, weight: 600 },
        before: HEADING,
        after: 8,
        rows: pairs.map(rowOf),
      }))}
      ground={(end) => (
        <>
          <Sides />
          {ticks.map((tick, index) => (
            <g key={tick}>
              <Word
                x={x(tick)}
                y={AXIS - LINE_PX}
                anchor={(['start', 'middle', 'end'] as const)[index] ?? 'middle'}
                text={tick === 0 ? '0' : formatDecimal(tick, 1)}
                fill="var(--ink-soft)"
              />
              <line x1={x(tick)} x2={x(tick)} y1={AXIS - 6} y2={end} stroke="var(--line)" />
            </g>
          ))}
        </>
      )}
    />
  );
}

/** The legend: who is a ring, and who a dot. */
function Sides() {
  const at = LINE_PX / 2;
  const people = 'People';
  const second = 22 + widthOf(people) + 24;
  return (
    <>
      <circle cx={8} cy={at} r={RADIUS} fill="var(--surface)" stroke="var(--chart-mean)" strokeWidth={1.5} />
      <Word x={20} y={at} text={people} />
      <circle cx={second} cy={at} r={RADIUS} fill="var(--chart-answer)" />
      <Word x={second + 12} y={at} text="Twins" />
    </>
  );
}
