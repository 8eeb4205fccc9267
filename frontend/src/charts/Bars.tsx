import type { Tally } from '@/api/types';
import { count } from '@/ui/format';
import { percent } from '@/ui/numbers';
import { shareInterval } from './intervals';
import { ALL, tallyOf, type Figures, type Part } from './figures';
import { nameRoom, RowChart, type ChartRow, type RowBlock } from './RowChart';
import { linear } from './scale';
import { Lines, Whisker, Word } from './svg';
import { LINE_PX, widthOf, wrap } from './text';

const BAR = 16;
const GAP = 10;
/** Narrower drawings have their labels above the bars. */
const NARROW = 520;

export interface ChoiceProps {
  /** Options in the order in which they are drawn. */
  options: readonly string[];
  whole: Figures;
  width: number;
  /** The end of the axis, as a share. */
  most: number;
  label: string;
}

/** A bar per option with its interval, share and count. */
export function Bars({ options, whole, width, most, label }: ChoiceProps) {
  const stacked = width < NARROW;
  const room = stacked ? width : nameRoom(options, width, { share: 0.38 });
  const figure = Math.max(...options.map((each) => widthOf(figureOf(tallyOf(whole, each)), 600))) + 8;
  const start = stacked ? 0 : room + 16;
  const x = linear(0, most, start, width - figure);
  const rows = options.map((option): ChartRow => {
    const lines = wrap(option, room, 3);
    const text = lines.length * LINE_PX;
    const height = stacked ? text + BAR + GAP + 2 : Math.max(BAR, text) + GAP;
    const tally = tallyOf(whole, option);
    return {
      key: option,
      name: { lines, full: option },
      isStacked: stacked,
      at: stacked ? height - GAP - BAR / 2 : (height - GAP) / 2,
      height,
      draw: (at) => (
        <Bar {...{ tally, x, at }} n={whole.n} fill="var(--chart-answer)" text={figureOf(tally)} />
      ),
    };
  });
  return (
    <RowChart
      {...{ width, label }}
      blocks={[{ key: 'options', rows }]}
      cover={(end) => !stacked && <Axis x={start} from={0} to={end - GAP + 4} />}
    />
  );
}

const figureOf = ({ share, count: number }: Tally) => `${percent(share, 1)} · ${count(number)}`;

/** A bar per option and group, one below the other: for few pixels and any number of groups. */
export function GroupedBars({
  options,
  whole,
  parts,
  width,
  most,
  label,
}: ChoiceProps & { parts: readonly Part[] }) {
  const every: Part[] = [{ name: ALL, figures: whole, color: 'var(--ink-soft)' }, ...parts];
  const room = nameRoom(
    every.map(({ name }) => name),
    width,
    { share: 0.36, min: 0 },
  );
  const x = linear(0, most, room + 10, width - widthOf('100 %', 600) - 8);
  const rowOf = (option: string, { name, figures, color }: Part): ChartRow => {
    const tally = tallyOf(figures, option);
    return {
      key: name,
      name: { lines: wrap(name, room, 1), full: name, fill: 'var(--ink-soft)' },
      at: BAR / 2,
      height: BAR + 5,
      draw: (at) => (
        <Bar
          {...{ tally, x, at }}
          n={figures.n}
          fill={color ?? 'var(--chart-answer)'}
          text={shareText(figures, tally)}
        />
      ),
    };
  };
  const blocks = options.map((option): RowBlock => {
    const lines = wrap(option, width, 3, 600);
    return {
      key: option,
      heading: { lines, full: option, weight: 600 },
      before: lines.length * LINE_PX + 4,
      after: GAP,
      rows: every.map((part) => rowOf(option, part)),
    };
  });
  return <RowChart {...{ width, label, blocks }} />;
}

const shareText = ({ n }: Figures, { share }: Tally) => (n === 0 ? '–' : percent(share));

/** All twins and the groups on one scale: a column per group and a row per option, or the other way round. */
export function SplitBars({
  options,
  whole,
  parts,
  width,
  most,
  label,
  turned,
  notes,
}: ChoiceProps & {
  parts: readonly Part[];
  /** Groups are rows: there are too many of them for columns. */
  turned: boolean;
  /** The test of an option, as text. */
  notes?: ReadonlyMap<string, OptionNote> | undefined;
}) {
  const groups: Line[] = [
    { name: ALL, figures: whole, fill: 'var(--ink-soft)' },
    ...parts.map(({ name, figures }) => ({ name, figures, fill: 'var(--chart-answer)' })),
  ];
  const asked: Line[] = options.map((name) => ({ name }));
  const [down, across] = turned ? [groups, asked] : [asked, groups];
  const noted = notes !== undefined && notes.size > 0;
  const beside = noted && !turned ? NOTE : 0;
  const room = labelRoom(down, width);
  const column = (width - room - beside) / across.length;
  const figure = widthOf('100 %', 600) + 8;
  const heads = across.map(({ name }) => wrap(name, column - 12, 3, 600));
  const head = Math.max(...heads.map(({ length }) => length)) * LINE_PX + (turned ? 0 : LINE_PX) + 8;
  const rowOf = (row: Line): ChartRow => {
    const full = row.figures === undefined ? row.name : `${row.name} ${count(row.figures.n)}`;
    const lines = wrap(full, room - 12, 3);
    const height = Math.max(BAR, lines.length * LINE_PX) + (turned ? GAP - 3 : GAP);
    const note = beside > 0 ? notes?.get(row.name) : undefined;
    return {
      key: row.name,
      name: { lines, full },
      at: (height - GAP) / 2,
      height,
      draw: (at) => (
        <>
          {across.map((line, index) => {
            const left = room + index * column;
            const { figures = whole, fill = '' } = turned ? row : line;
            const tally = tallyOf(figures, (turned ? line : row).name);
            const x = linear(0, most, left, left + column - figure - 12);
            return (
              <Bar
                key={line.name}
                {...{ tally, x, at, fill }}
                n={figures.n}
                text={shareText(figures, tally)}
              />
            );
          })}
          {note !== undefined && (
            <Word x={width} y={at} anchor="end" text={note.text} symbols fill={inkOf(note)} />
          )}
        </>
      ),
    };
  };
  const below = noted && turned ? 2 * LINE_PX + 6 : 0;
  return (
    <RowChart
      {...{ width, label, below }}
      top={head}
      blocks={[{ key: 'rows', rows: down.map(rowOf) }]}
      ground={(end) => (
        <>
          {across.map(({ name, figures }, index) => {
            const left = room + index * column;
            const note = notes?.get(name);
            return (
              <g key={name}>
                <Lines x={left} y={LINE_PX / 2} lines={heads[index] ?? []} weight={600} full={name} />
                {figures !== undefined && (
                  <Word
                    x={left}
                    y={(heads[index]?.length ?? 1) * LINE_PX + LINE_PX / 2}
                    text={count(figures.n)}
                    fill="var(--ink-soft)"
                  />
                )}
                <Axis x={left} from={head - 4} to={end - GAP + 4} />
                {below > 0 && (
                  <Lines
                    x={left}
                    y={end + LINE_PX / 2}
                    symbols
                    lines={wrap(note?.text ?? '', column - 8, 2)}
                    fill={inkOf(note)}
                  />
                )}
              </g>
            );
          })}
          {beside > 0 && <Word x={width} y={LINE_PX / 2} anchor="end" weight={600} text="Effect, test" />}
        </>
      )}
    />
  );
}

const inkOf = (note: OptionNote | undefined) => (note?.differs === true ? 'var(--ink)' : 'var(--ink-soft)');

/** A row or column: an option, or all twins or a group of them. */
interface Line {
  name: string;
  figures?: Figures;
  fill?: string;
}

/** The test of an option, as text. */
export interface OptionNote {
  text: string;
  differs: boolean;
}

/** Room for what the tests say, and the least that a column of bars takes. */
const NOTE = 150;
const LEAST = 92;

const labelRoom = (lines: readonly Line[], width: number) =>
  Math.min(width * 0.26, Math.max(60, ...lines.map(({ name }) => widthOf(`${name} 2,058`)))) + 16;

/** Whether a column per group, or else per option, leaves bars that can be compared. */
export function splitFits(
  options: readonly string[],
  groups: readonly string[],
  width: number,
): 'groups' | 'options' | null {
  const fits = (down: readonly string[], columns: number, note: number) =>
    (width -
      labelRoom(
        down.map((name) => ({ name })),
        width,
      ) -
      note) /
      columns >=
    LEAST;
  if (fits(options, groups.length + 1, NOTE)) return 'groups';
  return fits([ALL, ...groups], options.length, 0) ? 'options' : null;
}

/** A bar along, its interval, and its figure behind both. */
function Bar({
  tally,
  n,
  x,
  at,
  fill,
  text,
}: {
  tally: Tally;
  n: number;
  x: (share: number) => number;
  at: number;
  fill: string;
  text: string;
}) {
  const { low, high } = shareInterval(tally);
  const { probability } = tally;
  return (
    <g>
      <title>
        {n === 0
          ? 'No answers'
          : `${count(tally.count)} of ${count(n)}: ${percent(tally.share, 1)}, 95 % CI ${percent(low, 1)} to ${percent(high, 1)}`}
      </title>
      <rect
        className="grows"
        x={x(0)}
        y={at - BAR / 2}
        width={x(tally.share) - x(0)}
        height={BAR}
        rx={1}
        fill={fill}
      />
      {probability != null && <ProbabilityMark mean={probability.mean} x={x} at={at} />}
      {n > 0 && <Whisker from={x(low)} to={x(high)} bar={x(tally.share)} at={at} />}
      <Word
        x={(n === 0 ? x(0) : x(Math.max(high, tally.share, probability?.mean ?? 0))) + 6}
        y={at}
        weight={600}
        text={text}
      />
    </g>
  );
}

/** A line at the mean probability that twins gave, with an edge that keeps it apart from a dark bar. */
function ProbabilityMark({ mean, x, at }: { mean: number; x: (share: number) => number; at: number }) {
  const across = { x1: x(mean), x2: x(mean), y1: at - BAR / 2 - 3, y2: at + BAR / 2 + 3 };
  return (
    <g>
      <title>{`Mean probability ${percent(mean, 1)}`}</title>
      <line {...across} stroke="var(--surface)" strokeWidth={6} />
      <line className="chart-probability" {...across} stroke="var(--ink)" strokeWidth={2} />
    </g>
  );
}

function Axis({ x, from, to }: { x: number; from: number; to: number }) {
  return <line x1={x} x2={x} y1={from} y2={to} stroke="var(--line-strong)" />;
}
