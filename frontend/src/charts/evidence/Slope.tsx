import { fixed, withInterval } from '@/ui/numbers';
import { axisAround, Diagonal, Plot } from '../Plot';
import { Word } from '../svg';
import { LINE_PX } from '../text';

const RADIUS = 4;

export interface Effect {
  name: string;
  people: { value: number; low: number; high: number };
  twins: { value: number; low: number; high: number };
}

/** Effects of people across those of twins, with the intervals of both. On the diagonal both say the same. */
export function Slope({
  effects,
  width,
  label,
}: {
  effects: readonly Effect[];
  width: number;
  label: string;
}) {
  const ends = axisAround(
    effects.flatMap(({ people, twins }) => [people.low, people.high, twins.low, twins.high, 0]),
  );
  const [from, to] = ends;
  return (
    <Plot width={width} x={ends} y={ends} xTitle="Effect among twins" label={label}>
      {(x, y, tickY) => (
        <>
          <line x1={x(0)} x2={x(0)} y1={y(from)} y2={y(to)} stroke="var(--line-strong)" />
          <line x1={x(from)} x2={x(to)} y1={y(0)} y2={y(0)} stroke="var(--line-strong)" />
          <Diagonal {...{ ends, x, y }} title="People and twins the same" />
          {effects.map(({ name, people, twins }) => {
            const at = { x: x(twins.value), y: y(people.value) };
            return (
              <g key={name}>
                <title>{`${name}: people ${withInterval(people)}, twins ${withInterval(twins)}`}</title>
                <line x1={x(twins.low)} x2={x(twins.high)} y1={at.y} y2={at.y} stroke="var(--ink)" />
                <line x1={at.x} x2={at.x} y1={y(people.low)} y2={y(people.high)} stroke="var(--ink)" />
                <circle cx={at.x} cy={at.y} r={RADIUS} fill="var(--chart-answer)" />
              </g>
            );
          })}
          <Word x={x(from)} y={tickY} text={fixed(from)} fill="var(--ink-soft)" />
          <Word x={x(to)} y={tickY} anchor="end" text={fixed(to)} fill="var(--ink-soft)" />
          <Word x={0} y={LINE_PX / 2} text="Among people" />
        </>
      )}
    </Plot>
  );
}
