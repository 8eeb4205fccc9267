import { count } from '@/ui/format';
import { percent } from '@/ui/numbers';
import { meanInterval, meanText } from './intervals';
import { emptyRating, ratingsOf, reach, topTwo, type Part, type Rating } from './figures';
import { agreementShades } from './palette';
import { nameRoom, RowChart, type ChartRow, type RowBlock } from './RowChart';
import { linear } from './scale';
import { Legend, legend, Word } from './svg';
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
  const room = narrow ? width : nameRoom(names, width, { share: split ? 0.2 : 0.3, min: 40, weight: 600 });
  const twoBest = scale.length >= 4;
  const dots = width >= WIDE ? DOTS : 0;
  /** The right ends of the columns of means and of the top two. */
  const meanEnd = width - dots - (dots > 0 ? 24 : 0);
  const right = narrow ? width : meanEnd - MEAN - (twoBest ? TOP : 0);
  const start = narrow ? 0 : room + (split ? COUNT : 0) + 12;
  const x = linear(-reaches.left, reaches.right, start, right - 8);
  const dot = linear(1, scale.length, width - dots + 8, width - 8);
  const keyHeight = legend(keys, width).height;
  const head = keyHeight + LINE_PX / 2;

  /** The figures at the end of a row that has room for them. */
  const columnsOf = (rating: Rating, at: number, fill: string) => {
    const two = topTwo(rating.counts);
    return (
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
        <Word x={meanEnd} y={at} anchor="end" weight={600} text={meanText(rating)} />
        {dots > 0 && <Dot rating={rating} x={dot} at={at} fill={fill} />}
      </>
    );
  };
  const rowOf = (row: string, { name, figures }: Part, index: number): ChartRow => {
    const rating = ratingsOf(figures).find((each) => each.row === row) ?? emptyRating(row);
    const two = topTwo(rating.counts);
    const figure = [two === null ? '' : `top 2 ${percent(two)}`, meanText(rating)]
      .filter(Boolean)
      .join(' · ');
    const lines = narrow
      ? wrap(split ? name : '', width - 190, 1)
      : wrap(split ? name : row, room, split ? 2 : 4, split ? 600 : 400);
    const height = narrow ? LINE_PX + 3 + BAR + 8 : Math.max(STEP, lines.length * LINE_PX + 7);
    return {
      key: name,
      name: { lines, weight: split && index === 0 ? 600 : 400, full: split ? name : row },
      isStacked: narrow,
      at: narrow ? LINE_PX + 3 + BAR / 2 : height / 2,
      height,
      draw: (at) => (
        <>
          {!narrow && split && (
            <Word x={room + COUNT} y={at} anchor="end" text={count(rating.n)} fill="var(--ink-soft)" />
          )}
          <Stack rating={rating} shades={shades} x={x} at={at} from={-reach(rating).left} />
          {narrow ? (
            <Word
              x={width}
              y={at - BAR / 2 - 3 - LINE_PX / 2}
              anchor="end"
              text={split ? `${figure} · ${count(rating.n)}` : figure}
              fill="var(--ink-soft)"
            />
          ) : (
            columnsOf(rating, at, index === 0 && split ? 'var(--ink-soft)' : 'var(--chart-answer)')
          )}
        </>
      ),
    };
  };
  const blocks = rows.map((row): RowBlock => {
    const note = notes?.get(row);
    const aside = narrow ? undefined : note;
    const isHeaded = row !== '' && (split || narrow);
    const heading = isHeaded
      ? wrap(row, width - (aside === undefined ? 0 : widthOf(aside) + 24), 4, 600)
      : [];
    const noteLines = note !== undefined && narrow ? wrap(note, width, 3) : [];
    const above = Math.max(aside === undefined ? 0 : 1, heading.length);
    return {
      key: row,
      ...(isHeaded && { heading: { lines: heading, full: row, weight: 600 } }),
      aside,
      ...(noteLines.length > 0 && {
        note: { lines: noteLines, y: heading.length * LINE_PX + LINE_PX / 2 + 2 },
      }),
      before: (above > 0 ? above * LINE_PX + 7 : 0) + noteLines.length * LINE_PX,
      after: split ? GAP : narrow ? 10 : 6,
      rows: every.map((part, index) => rowOf(row, part, index)),
    };
  });
  const heads = (end: number) => (
    <>
      {twoBest && (
        <g>
          <title>{scale.slice(-2).join(' + ')}</title>
          <Word x={right + TOP - 8} y={head} anchor="end" weight={600} text="Top 2" />
        </g>
      )}
      <Word x={meanEnd} y={head} anchor="end" weight={600} text="Mean ± CI" />
      {dots > 0 &&
        dotTicks(scale.length).map((rank) => (
          <g key={rank}>
            <Word x={dot(rank)} y={head} anchor="middle" text={String(rank)} fill="var(--ink-soft)" />
            <line x1={dot(rank)} x2={dot(rank)} y1={head + 12} y2={end} stroke="var(--line)" />
          </g>
        ))}
    </>
  );
  const endOfRows = (end: number) => end - (split ? GAP : 6);
  return (
    <RowChart
      {...{ width, label, blocks }}
      top={keyHeight + (narrow ? 0 : LINE_PX + 10)}
      ground={(end) => (
        <>
          <Legend keys={keys} width={width} />
          {!narrow && heads(endOfRows(end))}
        </>
      )}
      cover={(end) =>
        !narrow && (
          <line
            x1={x(0)}
            x2={x(0)}
            y1={keyHeight + LINE_PX + 2}
            y2={endOfRows(end)}
            stroke="var(--line-strong)"
            strokeDasharray="3 3"
          />
        )
      }
    />
  );
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
  if (rating.mean == null) return null;
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
