import type { Tally } from '@/api/types';
import { count } from '@/ui/format';
import { percent } from '@/ui/numbers';
import { shareInterval } from './intervals';
import { ALL, tallyOf, type Figures, type Part } from './figures';
import { stackRows } from './rows';
import { linear } from './scale';
import { Drawing, Lines, Whisker, Word } from './svg';
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
  const room = stacked
    ? width
    : Math.min(width * 0.38, Math.max(60, ...options.map((each) => widthOf(each))) + 4);
  const figure = Math.max(...options.map((each) => widthOf(figureOf(tallyOf(whole, each)), 600))) + 8;
  const start = stacked ? 0 : room + 16;
  const x = linear(0, most, start, width - figure);
  const rows = stackRows(options, (option) => {
    const lines = wrap(option, room, 3);
    const text = lines.length * LINE_PX;
    return { lines, height: stacked ? text + BAR + GAP + 2 : Math.max(BAR, text) + GAP };
  });
  return (
    <Drawing width={width} height={rows.height} label={label}>
      {rows.rows.map(({ item, lines, y, height }) => {
        const tally = tallyOf(whole, item);
        const at = stacked ? y + height - GAP - BAR / 2 : y + (height - GAP) / 2;
        const first = stacked ? y + LINE_PX / 2 : at - ((lines.length - 1) * LINE_PX) / 2;
        return (
          <g key={item}>
            <Lines x={0} y={first} lines={lines} full={item} />
            <Bar tally={tally} n={whole.n} x={x} at={at} fill="var(--chart-answer)" text={figureOf(tally)} />
          </g>
        );
      })}
      {!stacked && <Axis x={start} from={0} to={rows.height - GAP + 4} />}
    </Drawing>
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
  const every = [{ name: ALL, figures: whole }, ...parts] as const;
  const room = Math.min(width * 0.36, Math.max(...every.map(({ name }) => widthOf(name))) + 4);
  const start = room + 10;
  const x = linear(0, most, start, width - widthOf('100 %', 600) - 8);
  const step = BAR + 5;
  const rows = stackRows(options, (option) => {
    const lines = wrap(option, width, 3, 600);
    return { lines, height: lines.length * LINE_PX + 4 + every.length * step + GAP };
  });
  return (
    <Drawing width={width} height={rows.height} label={label}>
      {rows.rows.map(({ item, lines, y }) => (
        <g key={item}>
          <Lines x={0} y={y + LINE_PX / 2} lines={lines} weight={600} full={item} />
          {every.map(({ name, figures, ...part }, index) => {
            const at = y + lines.length * LINE_PX + 4 + index * step + BAR / 2;
            const tally = tallyOf(figures, item);
            const fill =
              index === 0
                ? 'var(--ink-soft)'
                : 'color' in part && part.color
                  ? part.color
                  : 'var(--chart-answer)';
            return (
              <g key={index}>
                <Lines x={0} y={at} lines={wrap(name, room, 1)} full={name} fill="var(--ink-soft)" />
                <Bar
                  tally={tally}
                  n={figures.n}
                  x={x}
                  at={at}
                  fill={fill}
                  text={figures.n === 0 ? '–' : percent(tally.share)}
                />
              </g>
            );
          })}
        </g>
      ))}
    </Drawing>
  );
}

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
  const rows = stackRows(
    down,
    ({ name, figures }) => {
      const text = figures === undefined ? name : `${name} ${count(figures.n)}`;
      const lines = wrap(text, room - 12, 3);
      return { text, lines, height: Math.max(BAR, lines.length * LINE_PX) + (turned ? GAP - 3 : GAP) };
    },
    head,
  );
  const below = noted && turned ? 2 * LINE_PX + 6 : 0;
  return (
    <Drawing width={width} height={rows.height + below} label={label}>
      {across.map(({ name, figures }, index) => (
        <g key={name}>
          <Lines
            x={room + index * column}
            y={LINE_PX / 2}
            lines={heads[index] ?? []}
            weight={600}
            full={name}
          />
          {figures !== undefined && (
            <Word
              x={room + index * column}
              y={(heads[index]?.length ?? 1) * LINE_PX + LINE_PX / 2}
              text={count(figures.n)}
              fill="var(--ink-soft)"
            />
          )}
          <Axis x={room + index * column} from={head - 4} to={rows.height - GAP + 4} />
          {below > 0 && (
            <Lines
              x={room + index * column}
              y={rows.height + LINE_PX / 2}
              symbols
              lines={wrap(notes?.get(name)?.text ?? '', column - 8, 2)}
              fill={notes?.get(name)?.differs === true ? 'var(--ink)' : 'var(--ink-soft)'}
            />
          )}
        </g>
      ))}
      {beside > 0 && <Word x={width} y={LINE_PX / 2} anchor="end" weight={600} text="Effect, test" />}
      {rows.rows.map(({ item, text, lines, y, height }) => {
        const at = y + (height - GAP) / 2;
        const note = beside > 0 ? notes?.get(item.name) : undefined;
        return (
          <g key={item.name}>
            <Lines x={0} y={at - ((lines.length - 1) * LINE_PX) / 2} lines={lines} full={text} />
            {across.map((line, index) => {
              const left = room + index * column;
              const { figures = whole, fill = '' } = turned ? item : line;
              const tally = tallyOf(figures, (turned ? line : item).name);
              return (
                <Bar
                  key={line.name}
                  tally={tally}
                  n={figures.n}
                  x={linear(0, most, left, left + column - figure - 12)}
                  at={at}
                  fill={fill}
                  text={figures.n === 0 ? '–' : percent(tally.share)}
                />
              );
            })}
            {note !== undefined && (
              <Word
                x={width}
                y={at}
                anchor="end"
                text={note.text}
                symbols
                fill={note.differs ? 'var(--ink)' : 'var(--ink-soft)'}
              />
            )}
          </g>
        );
      })}
    </Drawing>
  );
}

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
  const { low, high } = shareInterval(tally.count, n);
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
      {n > 0 && <Whisker from={x(low)} to={x(high)} bar={x(tally.share)} at={at} />}
      <Word x={(n === 0 ? x(0) : x(Math.max(high, tally.share))) + 6} y={at} weight={600} text={text} />
    </g>
  );
}

function Axis({ x, from, to }: { x: number; from: number; to: number }) {
  return <line x1={x} x2={x} y1={from} y2={to} stroke="var(--line-strong)" />;
}
