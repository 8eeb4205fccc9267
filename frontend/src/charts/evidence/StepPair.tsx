import { linear } from '../scale';
import { Drawing, Word } from '../svg';
import { LINE_PX, widthOf } from '../text';

const MOST = 640;
const HEIGHT = 300;
const AXIS = 44;
/** The height of the key above the plot, in pixels. */
const KEY = 28;

export interface StepPoint {
  value: number;
  /** Shares of answers up to the value, 0 to 1. */
  people: number;
  twins: number;
}

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
  const side = Math.min(MOST, width);
  const [low, high] = [points[0]?.value ?? 0, points.at(-1)?.value ?? 0];
  const room = high === low ? 1 : (high - low) * 0.04;
  const [from, to] = [low - room, high + room];
  const x = linear(from, to, AXIS, side - 4);
  const y = linear(0, 1, HEIGHT - AXIS, KEY + 4);
  const path = (share: (point: StepPoint) => number) =>
    [
      `M${x(from)} ${y(0)}`,
      ...points.map((point) => `H${x(point.value)} V${y(share(point))}`),
      `H${x(to)}`,
    ].join(' ');
  const keys = [
    { name: 'People', stroke: 'var(--ink)', dashes: '6 3', at: AXIS },
    { name: 'Twins', stroke: 'var(--chart-answer)', dashes: undefined, at: AXIS + 64 + widthOf('People') },
  ];
  return (
    <Drawing width={side} height={HEIGHT} label={label}>
      {[0, 0.5, 1].map((share) => (
        <g key={share}>
          <line x1={x(from)} x2={x(to)} y1={y(share)} y2={y(share)} stroke="var(--line)" />
          <Word x={AXIS - 6} y={y(share)} anchor="end" text={`${share * 100} %`} fill="var(--ink-soft)" />
        </g>
      ))}
      {keys.map(({ name, stroke, dashes, at }) => (
        <g key={name}>
          <line
            x1={at}
            x2={at + 24}
            y1={LINE_PX / 2}
            y2={LINE_PX / 2}
            stroke={stroke}
            strokeWidth={2}
            strokeDasharray={dashes}
          />
          <Word x={at + 30} y={LINE_PX / 2} text={name} />
        </g>
      ))}
      <path d={path(({ twins }) => twins)} fill="none" stroke="var(--chart-answer)" strokeWidth={2} />
      <path
        d={path(({ people }) => people)}
        fill="none"
        stroke="var(--ink)"
        strokeWidth={2}
        strokeDasharray="6 3"
      />
      <Word
        x={x(low)}
        y={HEIGHT - AXIS + LINE_PX}
        anchor="middle"
        text={String(low)}
        fill="var(--ink-soft)"
      />
      {high !== low && (
        <Word
          x={x(high)}
          y={HEIGHT - AXIS + LINE_PX}
          anchor="end"
          text={String(high)}
          fill="var(--ink-soft)"
        />
      )}
      <Word
        x={(x(from) + x(to)) / 2}
        y={HEIGHT - 8}
        anchor="middle"
        text="Share of answers up to this value"
      />
    </Drawing>
  );
}
