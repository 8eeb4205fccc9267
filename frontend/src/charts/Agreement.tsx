import { count } from '@/ui/format';
import { percent } from '@/ui/numbers';
import { meanInterval, meanText } from './intervals';
import { ratingsOf, reach, topTwo, type Part, type Rating } from './figures';
import { agreementShades } from './palette';
import { linear } from './scale';
import { Drawing, Legend, legend, Lines, Word } from './svg';
import { LINE_PX, widthOf, wrap } from './text';

const BAR = 18;
const STEP = 24;
const GAP = 18;
/** Narrower drawings have names above bars, and no dots. */
const NARROW = 640;
/** Wider ones show the means on their scale too. */
const WIDE = 820;
const MEAN = 104;
const TOP = 60;
const COUNT = 52;
const DOTS = 150;

/**
 * Stacked bars about the middle of the scale, for each row of a matrix and each group, with the share of the top two,
 * the mean and its interval.
 */
export function Agreement({
  every,
  rows,
  width,
  reaches,
  label,
  notes,
}: {
  /** All twins first, then the groups. */
  every: readonly Part[];
  /** Names of the matrix's rows in the order in which they are drawn. */
  rows: readonly string[];
  width: number;
  /** The ends of the axis. */
  reaches: { left: number; right: number };
  label: string;
  /** The texts of the tests, by row. */
  notes?: ReadonlyMap<string, string> | undefined;
}) {
  const scale = ratingsOf(every[0]?.figures ?? empty)[0]?.counts.map(({ value }) => value) ?? [];
  const shades = agreementShades(scale.length);
  const keys = scale.map((name, index) => ({ name, fill: shades[index]?.fill ?? '' }));
  const split = every.length > 1;
  const narrow = width < NARROW;
  const names = split ? every.map(({ name }) => name) : rows;
  const room = narrow
    ? width
    : Math.min(width * (split ? 0.2 : 0.3), Math.max(40, ...names.map((name) => widthOf(name, 600))) + 4);
  const twoBest = scale.length >= 4;
  const dots = width >= WIDE ? DOTS : 0;
  const right = narrow ? width : width - dots - (dots > 0 ? 24 : 0) - MEAN - (twoBest ? TOP : 0);
  const start = narrow ? 0 : room + (split ? COUNT : 0) + 12;
  const x = linear(-reaches.left, reaches.right, start, right - 8);
  const dot = linear(1, scale.length, width - dots + 8, width - 8);
  const keyHeight = legend(keys, width).height;
  const { blocks, height: y } = lay(rows, {
    names: split ? every.map(({ name }) => name) : null,
    room,
    narrow,
    width,
    notes,
    top: keyHeight + (narrow ? 0 : LINE_PX + 10),
  });
  const head = keyHeight + LINE_PX / 2;
  return (
    <Drawing width={width} height={y} label={label}>
      <Legend keys={keys} width={width} />
      {!narrow && (
        <>
          {twoBest && (
            <g>
              <title>{scale.slice(-2).join(' + ')}</title>
              <Word x={right + TOP - 8} y={head} anchor="end" weight={600} text="Top 2" />
            </g>
          )}
          <Word x={width - dots - (dots > 0 ? 24 : 0)} y={head} anchor="end" weight={600} text="Mean ± CI" />
          {dots > 0 &&
            dotTicks(scale.length).map((rank) => (
              <g key={rank}>
                <Word x={dot(rank)} y={head} anchor="middle" text={String(rank)} fill="var(--ink-soft)" />
                <line
                  x1={dot(rank)}
                  x2={dot(rank)}
                  y1={head + 12}
                  y2={y - (split ? GAP : 6)}
                  stroke="var(--line)"
                />
              </g>
            ))}
        </>
      )}
      {blocks.map(({ row, heading, note, noteLines, lines, steps, top, bars }) => {
        return (
          <g key={row}>
            <Lines x={0} y={top + LINE_PX / 2} lines={heading} weight={600} full={row} />
            {note !== undefined && !narrow && (
              <Word x={width} y={top + LINE_PX / 2} anchor="end" symbols text={note} fill="var(--ink-soft)" />
            )}
            {noteLines.length > 0 && (
              <Lines
                x={0}
                y={top + heading.length * LINE_PX + LINE_PX / 2 + 2}
                symbols
                lines={noteLines}
                fill="var(--ink-soft)"
              />
            )}
            {every.map(({ name, figures }, index) => {
              const rating = ratingsOf(figures).find((each) => each.row === row) ?? {
                row,
                n: 0,
                mean: null,
                sd: null,
                counts: [],
              };
              const step = steps[index] ?? STEP;
              const line = lines[index] ?? [];
              const before = bars + steps.slice(0, index).reduce((sum, each) => sum + each, 0);
              const at = narrow ? before + LINE_PX + 3 + BAR / 2 : before + step / 2;
              const two = topTwo(rating.counts);
              const first = narrow ? at - BAR / 2 - 3 - LINE_PX / 2 : at - ((line.length - 1) * LINE_PX) / 2;
              const figure = [two === null ? '' : `top 2 ${percent(two)}`, meanText(rating)]
                .filter(Boolean)
                .join(' · ');
              return (
                <g key={name}>
                  <Lines
                    x={0}
                    y={first}
                    lines={narrow ? wrap(split ? name : '', width - 190, 1) : line}
                    weight={split && index === 0 ? 600 : 400}
                    full={split ? name : row}
                  />
                  {!narrow && split && (
                    <Word
                      x={room + COUNT}
                      y={at}
                      anchor="end"
                      text={count(rating.n)}
                      fill="var(--ink-soft)"
                    />
                  )}
                  <Stack rating={rating} shades={shades} x={x} at={at} from={-reach(rating).left} />
                  {narrow ? (
                    <Word
                      x={width}
                      y={first}
                      anchor="end"
                      text={split ? `${figure} · ${count(rating.n)}` : figure}
                      fill="var(--ink-soft)"
                    />
                  ) : (
                    <>
                      {twoBest && (
                        <Word
                          x={right + TOP - 8}
                          y={at}
                          anchor="end"
                          weight={600}
                          text={two === null || rating.n === 0 ? '–' : percent(two)}
                        />
                      )}
                      <Word
                        x={width - dots - (dots > 0 ? 24 : 0)}
                        y={at}
                        anchor="end"
                        weight={600}
                        text={meanText(rating)}
                      />
                      {dots > 0 && (
                        <Dot
                          rating={rating}
                          x={dot}
                          at={at}
                          fill={index === 0 && split ? 'var(--ink-soft)' : 'var(--chart-answer)'}
                        />
                      )}
                    </>
                  )}
                </g>
              );
            })}
          </g>
        );
      })}
      {!narrow && (
        <line
          x1={x(0)}
          x2={x(0)}
          y1={keyHeight + LINE_PX + 2}
          y2={y - (split ? GAP : 6)}
          stroke="var(--line-strong)"
          strokeDasharray="3 3"
        />
      )}
    </Drawing>
  );
}

/** A matrix's row: its heading, what its test says, and a bar per name. */
interface Block {
  row: string;
  heading: string[];
  note: string | undefined;
  noteLines: string[];
  /** The names before or above the bars. */
  lines: string[][];
  /** How much each bar takes with its name. */
  steps: number[];
  top: number;
  bars: number;
}

/** Blocks one below the other. Without `names` there is one bar per row, named by the row itself. */
function lay(
  rows: readonly string[],
  place: {
    names: readonly string[] | null;
    room: number;
    narrow: boolean;
    width: number;
    notes: ReadonlyMap<string, string> | undefined;
    top: number;
  },
): { blocks: Block[]; height: number } {
  const { names, room, narrow, width, notes } = place;
  let y = place.top;
  const blocks = rows.map((row): Block => {
    const note = notes?.get(row);
    const beside = note !== undefined && !narrow;
    const headed = row !== '' && (names !== null || narrow);
    const heading = headed ? wrap(row, width - (beside ? widthOf(note) + 24 : 0), 4, 600) : [];
    const noteLines = note !== undefined && narrow ? wrap(note, width, 3) : [];
    const lines = names?.map((name) => wrap(name, room, 2, 600)) ?? [narrow ? [] : wrap(row, room, 4)];
    const steps = lines.map(({ length }) =>
      narrow ? LINE_PX + 3 + BAR + 8 : Math.max(STEP, length * LINE_PX + 7),
    );
    const top = y;
    const above = Math.max(beside ? 1 : 0, heading.length);
    const bars = top + (above > 0 ? above * LINE_PX + 7 : 0) + noteLines.length * LINE_PX;
    y = bars + steps.reduce((sum, step) => sum + step, 0) + (names !== null ? GAP : narrow ? 10 : 6);
    return { row, heading, note, noteLines, lines, steps, top, bars };
  });
  return { blocks, height: y };
}

const empty = { n: 0, counts: [], rows: [], bins: [] };

const dotTicks = (degrees: number) =>
  Array.from({ length: degrees }, (_, index) => index + 1).filter(
    (rank) => degrees <= 7 || rank === 1 || rank === degrees,
  );

function Stack({
  rating,
  shades,
  x,
  at,
  from,
}: {
  rating: Rating;
  shades: ReturnType<typeof agreementShades>;
  x: (share: number) => number;
  at: number;
  from: number;
}) {
  return (
    <>
      {rating.counts.map(({ value, count: number, share }, index) => {
        const start = rating.counts.slice(0, index).reduce((sum, each) => sum + each.share, from);
        const left = x(start);
        const room = x(start + share) - left;
        const figure = String(Math.round(share * 100));
        return (
          <g key={value}>
            <title>{`${value}: ${count(number)} of ${count(rating.n)} (${percent(share, 1)})`}</title>
            <rect
              className="grows"
              x={left}
              y={at - BAR / 2}
              width={Math.max(0, room - 1)}
              height={BAR}
              fill={shades[index]?.fill}
            />
            {room >= widthOf(figure, 600) + 6 && (
              <Word
                x={left + (room - 1) / 2}
                y={at}
                anchor="middle"
                weight={600}
                text={figure}
                fill={shades[index]?.ink ?? ''}
              />
            )}
          </g>
        );
      })}
    </>
  );
}

function Dot({
  rating,
  x,
  at,
  fill,
}: {
  rating: Rating;
  x: (rank: number) => number;
  at: number;
  fill: string;
}) {
  if (rating.mean === null) return null;
  const interval = meanInterval(rating);
  return (
    <g>
      {interval !== null && (
        <line
          x1={x(Math.max(1, interval.low))}
          x2={x(Math.min(rating.counts.length, interval.high))}
          y1={at}
          y2={at}
          stroke={fill}
          strokeWidth={2}
        />
      )}
      <circle cx={x(rating.mean)} cy={at} r={4} fill={fill} />
    </g>
  );
}
