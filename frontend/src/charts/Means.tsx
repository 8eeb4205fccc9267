import type { QuestionType } from '@/api/types';
import type { Measure } from '@/question-types/kind';
import { questionTypes } from '@/question-types/questionTypes';
import { count } from '@/ui/format';
import { fixed, formatShort, percent } from '@/ui/numbers';
import { emptyRating, ratingsOf, type Part, type Rating } from './figures';
import { meanInterval, meanText } from './intervals';
import { nameRoom, RowChart, type ChartRow, type RowBlock } from './RowChart';
import { linear, numberAxis } from './scale';
import { Ticks, Whisker, Word } from './svg';
import { LINE_PX, widthOf, wrap } from './text';

const BAR = 16;
const GAP = 12;
const AXIS = 22;
/** Narrower drawings have names above bars. */
const NARROW = 520;

/** The measure of types that have no means. */
const NO_MEASURE: Measure = { words: '', lowIsBest: false, ends: () => null, note: () => '' };

export const measureOf = (type: QuestionType): Measure => questionTypes[type].measure ?? NO_MEASURE;

/** The mean of every option with its interval, of all twins and of each group. */
export function Means({
  every,
  rows,
  type,
  width,
  ends,
  label,
  notes,
}: {
  /** All twins first, then the groups. */
  every: readonly Part[];
  /** The options in the order in which they are drawn. */
  rows: readonly string[];
  type: QuestionType;
  width: number;
  /** How far the means reach. */
  ends: readonly [number, number];
  label: string;
  /** The texts of the tests, by option. */
  notes?: ReadonlyMap<string, string> | undefined;
}) {
  const measure = measureOf(type);
  const split = every.length > 1;
  const stacked = width < NARROW;
  const ratings = new Map(
    every.map(({ name, figures }) => [
      name,
      new Map(ratingsOf(figures).map((rating) => [rating.row, rating])),
    ]),
  );
  const ratingOf = (name: string, row: string): Rating => ratings.get(name)?.get(row) ?? emptyRating(row);
  const noteOf = ({ counts }: Rating) => measure.note((place) => percent(counts[place]?.share ?? 0));
  const textOf = (rating: Rating) =>
    rating.n === 0 ? '–' : [meanText(rating), noteOf(rating)].filter(Boolean).join(' · ');
  const figure = Math.max(
    ...every.flatMap(({ name }) => rows.map((row) => widthOf(textOf(ratingOf(name, row)), 600))),
  );
  const names = split ? every.map(({ name }) => name) : rows;
  const room = stacked ? 0 : nameRoom(names, width, { share: 0.3 });
  const start = stacked ? 8 : room + 16;
  const end = stacked ? width - 12 : width - figure - 16;
  const [low, high] = measure.ends(rows.length) ?? [0, numberAxis(ends[1])];
  const x = linear(low, high, start, end);
  const base = measure.lowIsBest ? null : Math.max(low, 0);
  const above = stacked ? LINE_PX + 3 : 0;
  const step = above + BAR + (split ? 5 : 0);
  const headed = split || stacked;
  const fillOf = ({ color }: Part, index: number) => {
    if (!split) return 'var(--chart-answer)';
    return index === 0 ? 'var(--ink-soft)' : (color ?? 'var(--chart-answer)');
  };
  const blocks = rows.map((row): RowBlock => {
    const heading = wrap(row, headed ? width : room, 3, split ? 600 : 400);
    const note = split ? notes?.get(row) : undefined;
    const noted = note === undefined ? [] : wrap(note, width, 2);
    const alone = Math.max(step, heading.length * LINE_PX);
    const rowOf = (part: Part, index: number): ChartRow => {
      const rating = ratingOf(part.name, row);
      const text = textOf(rating);
      const name = stacked
        ? { lines: wrap(split ? `${part.name}: ${text}` : text, width, 1, 600), weight: 600, full: text }
        : split
          ? { lines: wrap(part.name, room, 1), full: part.name, fill: 'var(--ink-soft)' }
          : { lines: heading, full: row };
      return {
        key: part.name,
        name,
        isStacked: stacked,
        at: headed ? above + BAR / 2 : alone / 2,
        height: headed ? step : alone,
        draw: (at) => (
          <>
            <Mark {...{ rating, x, at, base }} fill={fillOf(part, index)} />
            {!stacked && <Word x={width} y={at} anchor="end" weight={600} text={text} />}
          </>
        ),
      };
    };
    return {
      key: row,
      ...(headed && { heading: { lines: heading, full: row, weight: split ? 600 : 400 } }),
      ...(noted.length > 0 && { note: { lines: noted, y: heading.length * LINE_PX + LINE_PX / 2 } }),
      before: headed ? (heading.length + noted.length) * LINE_PX + 4 : 0,
      after: GAP,
      rows: every.map(rowOf),
    };
  });
  return (
    <RowChart
      {...{ width, label, blocks }}
      top={AXIS}
      ground={(bottom) => (
        <Ticks ends={[low, high]} x={x} words={formatShort} from={AXIS - 4} to={bottom - GAP + 4} />
      )}
    />
  );
}

/** A bar from its base to the mean, or a dot where there is no base, with the interval. */
function Mark({
  rating,
  x,
  at,
  base,
  fill,
}: {
  rating: Rating;
  x: (value: number) => number;
  at: number;
  base: number | null;
  fill: string;
}) {
  const { mean, n } = rating;
  if (mean == null) return null;
  const { low, high } = meanInterval(rating) ?? { low: mean, high: mean };
  return (
    <g>
      <title>{`Mean ${fixed(mean)}, 95 % CI ${fixed(low)} to ${fixed(high)}, n = ${count(n)}`}</title>
      {base === null ? (
        <>
          <line x1={x(low)} x2={x(high)} y1={at} y2={at} stroke="var(--ink)" strokeWidth={1.5} />
          <circle cx={x(mean)} cy={at} r={BAR / 2 - 2} fill={fill} />
        </>
      ) : (
        <>
          <rect
            className={mean < base ? undefined : 'grows'}
            x={Math.min(x(base), x(mean))}
            y={at - BAR / 2}
            width={Math.abs(x(mean) - x(base))}
            height={BAR}
            rx={1}
            fill={fill}
          />
          {mean < base ? (
            <Whisker from={x(high)} to={x(low)} bar={x(mean)} at={at} />
          ) : (
            <Whisker from={x(low)} to={x(high)} bar={x(mean)} at={at} />
          )}
        </>
      )}
    </g>
  );
}
