import { fixed } from '@/ui/numbers';
import { linear } from '../scale';
import { Drawing, Word } from '../svg';
import { LINE_PX } from '../text';

const MOST = 460;
const AXIS = 44;
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
  const side = Math.min(MOST, width);
  const all = effects.flatMap(({ people, twins }) => [people.low, people.high, twins.low, twins.high, 0]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = high === low ? 1 : (high - low) * 0.04;
  const [from, to] = [low - room, high + room];
  const x = linear(from, to, AXIS, side - 4);
  const y = linear(from, to, side - AXIS, 4);
  const words = (value: number) => fixed(value);
  return (
    <Drawing width={side} height={side} label={label}>
      <line x1={x(0)} x2={x(0)} y1={y(from)} y2={y(to)} stroke="var(--line-strong)" />
      <line x1={x(from)} x2={x(to)} y1={y(0)} y2={y(0)} stroke="var(--line-strong)" />
      <line x1={x(from)} x2={x(to)} y1={y(from)} y2={y(to)} stroke="var(--ink-soft)" strokeDasharray="4 3">
        <title>People and twins the same</title>
      </line>
      {effects.map(({ name, people, twins }) => (
        <g key={name}>
          <title>{`${name}: people ${words(people.value)} [${words(people.low)}, ${words(people.high)}], twins ${words(twins.value)} [${words(twins.low)}, ${words(twins.high)}]`}</title>
          <line
            x1={x(twins.low)}
            x2={x(twins.high)}
            y1={y(people.value)}
            y2={y(people.value)}
            stroke="var(--ink)"
          />
          <line
            x1={x(twins.value)}
            x2={x(twins.value)}
            y1={y(people.low)}
            y2={y(people.high)}
            stroke="var(--ink)"
          />
          <circle cx={x(twins.value)} cy={y(people.value)} r={RADIUS} fill="var(--chart-answer)" />
        </g>
      ))}
      <Word x={x(from)} y={side - AXIS + LINE_PX} text={words(from)} fill="var(--ink-soft)" />
      <Word x={x(to)} y={side - AXIS + LINE_PX} anchor="end" text={words(to)} fill="var(--ink-soft)" />
      <Word x={(x(from) + x(to)) / 2} y={side - 8} anchor="middle" text="Effect among twins" />
      <Word x={0} y={LINE_PX / 2} text="Among people" />
    </Drawing>
  );
}
