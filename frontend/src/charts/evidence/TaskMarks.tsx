import type { ValidatedTask } from '@/api/validation';
import { Word } from '../svg';
import { LINE_PX, widthOf } from '../text';

/** The empty profile is a ring around the dot of the twins where both are at the same place. */
const RING = 6;
const DOT = 4.5;
const BAND = 14;

const Random = ({ x, y }: { x: number; y: number }) => (
  <line
    x1={x}
    x2={x}
    y1={y - 9}
    y2={y + 9}
    stroke="var(--ink-soft)"
    strokeWidth={2}
    strokeDasharray="2 2.5"
  />
);
const Ceiling = ({ x, y }: { x: number; y: number }) => (
  <line x1={x} x2={x} y1={y - 9} y2={y + 9} stroke="var(--ink)" strokeWidth={2.5} />
);
const Ring = ({ x, y }: { x: number; y: number }) => (
  <circle cx={x} cy={y} r={RING} fill="var(--surface)" stroke="var(--ink-soft)" strokeWidth={1.8} />
);
const Dot = ({ x, y }: { x: number; y: number }) => (
  <circle cx={x} cy={y} r={DOT} fill="var(--chart-answer)" />
);
const Interval = ({ from, to, y }: { from: number; to: number; y: number }) => (
  <line x1={from} x2={to} y1={y} y2={y} stroke="var(--chart-answer)" strokeWidth={2} />
);
const Band = ({ from, to, y }: { from: number; to: number; y: number }) => (
  <rect
    x={Math.min(from, to)}
    y={y - BAND / 2}
    width={Math.abs(to - from)}
    height={BAND}
    fill="var(--brand-soft)"
  />
);

/** The marks of a task: twins with their interval between chance and the ceiling. */
export function TaskMarks({
  task: { random, ceiling, empty, twins },
  x,
  y,
}: {
  task: ValidatedTask;
  x: (value: number) => number;
  /** The middle of its row. */
  y: number;
}) {
  return (
    <>
      {random != null && ceiling != null && <Band from={x(random)} to={x(ceiling.value)} y={y} />}
      {random != null && <Random x={x(random)} y={y} />}
      {ceiling != null && <Ceiling x={x(ceiling.value)} y={y} />}
      {twins?.low != null && twins.high != null && <Interval from={x(twins.low)} to={x(twins.high)} y={y} />}
      {empty != null && <Ring x={x(empty.value)} y={y} />}
      {twins != null && <Dot x={x(twins.value)} y={y} />}
    </>
  );
}

const MARK = 22;
const GAP = 18;

/** A mark and what it stands for. */
const keysOf = (twins: string) => [
  {
    name: `${twins}, 95 % CI`,
    mark: (x: number, y: number) => (
      <>
        <Interval from={x} to={x + MARK} y={y} />
        <Dot x={x + MARK / 2} y={y} />
      </>
    ),
  },
  { name: 'Empty profile', mark: (x: number, y: number) => <Ring x={x + MARK / 2} y={y} /> },
  { name: 'Random', mark: (x: number, y: number) => <Random x={x + MARK / 2} y={y} /> },
  {
    name: 'Ceiling: the same people, weeks later',
    mark: (x: number, y: number) => <Ceiling x={x + MARK / 2} y={y} />,
  },
  {
    name: 'What there is to gain',
    mark: (x: number, y: number) => <Band from={x} to={x + MARK} y={y} />,
  },
];

/** The keys in as many lines as they take, and how high these are. */
export function taskLegend(twins: string, width: number) {
  let [x, line] = [0, 0];
  const keys = keysOf(twins).map((key) => {
    const room = MARK + 6 + widthOf(key.name);
    if (x > 0 && x + room > width) [x, line] = [0, line + 1];
    const placed = { ...key, x, y: line * (LINE_PX + 5) + LINE_PX / 2 };
    x += room + GAP;
    return placed;
  });
  return { keys, height: (line + 1) * (LINE_PX + 5) + 12 };
}

export function TaskLegend({ keys }: { keys: ReturnType<typeof taskLegend>['keys'] }) {
  return keys.map(({ name, mark, x, y }) => (
    <g key={name}>
      {mark(x, y)}
      <Word x={x + MARK + 6} y={y} text={name} fill="var(--ink-soft)" />
    </g>
  ));
}
