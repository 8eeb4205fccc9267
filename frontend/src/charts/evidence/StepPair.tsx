import { axisAround, AXIS_PX, Plot, ShareLines } from '../Plot';
import { Word } from '../svg';
import { LINE_PX, widthOf } from '../text';

const MAX_WIDTH = 640;
const HEIGHT = 300;
/** The height of the key above the plot, in pixels. */
const KEY = 28;

export interface StepPoint {
  value: number;
  /** Shares of answers up to the value, 0 to 1. */
  people: number;
  twins: number;
}

/** The lines of both functions, in the order of the key; `at` is the place in it, in pixels. */
const FUNCTIONS = [
  {
    key: 'people',
    name: 'People',
    at: AXIS_PX,
    line: { stroke: 'var(--ink)', strokeWidth: 2, strokeDasharray: '6 3' },
  },
  {
    key: 'twins',
    name: 'Twins',
    at: AXIS_PX + 64 + widthOf('People'),
    line: { stroke: 'var(--chart-answer)', strokeWidth: 2 },
  },
] as const;

/** Two distribution functions, of people and of twins, as steps. Points stand in order of their values. */
export function StepPair({
  points,
  width,
  label,
}: {
  points: readonly StepPoint[];
  width: number;
  label: string;
}) {
  const [low, high] = [points[0]?.value ?? 0, points.at(-1)?.value ?? 0];
  const ends = axisAround([low, high]);
  const [from, to] = ends;
  return (
    <Plot
      {...{ width, label }}
      maxWidth={MAX_WIDTH}
      height={HEIGHT}
      x={ends}
      y={[0, 1]}
      top={KEY + 4}
      xTitle="Share of answers up to this value"
    >
      {(x, y, tickY) => (
        <>
          <ShareLines from={x(from)} to={x(to)} y={y} />
          {FUNCTIONS.map(({ key, name, at, line }) => (
            <g key={key}>
              <line x1={at} x2={at + 24} y1={LINE_PX / 2} y2={LINE_PX / 2} {...line} />
              <Word x={at + 30} y={LINE_PX / 2} text={name} />
            </g>
          ))}
          {/* That of people, which is dashed, lies above. */}
          {FUNCTIONS.toReversed().map(({ key, line }) => {
            const steps = points.map((point) => `H${x(point.value)} V${y(point[key])}`);
            const path = [`M${x(from)} ${y(0)}`, ...steps, `H${x(to)}`].join(' ');
            return <path key={key} d={path} fill="none" {...line} />;
          })}
          <Word x={x(low)} y={tickY} anchor="middle" text={String(low)} fill="var(--ink-soft)" />
          {high !== low && (
            <Word x={x(high)} y={tickY} anchor="end" text={String(high)} fill="var(--ink-soft)" />
          )}
        </>
      )}
    </Plot>
  );
}
