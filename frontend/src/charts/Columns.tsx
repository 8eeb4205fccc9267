import { count } from '@/ui/format';
import { percent } from '@/ui/numbers';
import { type ChoiceProps } from './Bars';
import { tallyOf, type Part } from './figures';
import { shareInterval } from './intervals';
import { linear } from './scale';
import { Drawing, Legend, legend, Lines, Whisker, Word } from './svg';
import { LINE_PX, wrap } from './text';

const COLUMN_MOST = 34;
const COLUMN_LEAST = 24;
const AXIS = 48;
const PLOT = 190;

const columnWidth = (options: number, groups: number, width: number) =>
  Math.min(COLUMN_MOST, (((width - AXIS) / options) * 0.84) / groups);

/** Whether groups have colours, and options and groups are few enough for columns side by side. */
export const columnsFit = (options: readonly string[], parts: readonly Part[], width: number) =>
  options.length <= 6 &&
  parts.every(({ color }) => color !== undefined) &&
  columnWidth(options.length, parts.length, width) >= COLUMN_LEAST;

/** A column per option and group, with one legend. */
export function GroupedColumns({
  options,
  whole,
  parts,
  width,
  most,
  label,
}: ChoiceProps & { parts: readonly Part[] }) {
  const keys = parts.map(({ name, figures, color }) => ({ name, fill: color ?? '', note: count(figures.n) }));
  const top = legend(keys, width).height + LINE_PX + 4;
  const y = linear(0, most, top + PLOT, top);
  const slot = (width - AXIS) / options.length;
  const bar = columnWidth(options.length, parts.length, width);
  const labels = options.map((option) => wrap(option, slot - 12, 3, 600));
  const longest = Math.max(...labels.map(({ length }) => length));
  const foot = top + PLOT + 10;
  const step = most <= 0.4 ? 0.1 : 0.2;
  const grid = Array.from({ length: Math.round(most / step) + 1 }, (_, index) => index * step);
  return (
    <Drawing width={width} height={foot + (longest + 1) * LINE_PX + 4} label={label}>
      <Legend keys={keys} width={width} />
      {grid.map((share) => (
        <g key={share}>
          <line
            x1={AXIS}
            x2={width}
            y1={y(share)}
            y2={y(share)}
            stroke={share === 0 ? 'var(--line-strong)' : 'var(--line)'}
          />
          <Word
            x={AXIS - 8}
            y={y(share)}
            anchor="end"
            text={`${Math.round(share * 100)} %`}
            fill="var(--ink-soft)"
          />
        </g>
      ))}
      {options.map((option, place) => {
        const middle = AXIS + slot * (place + 0.5);
        const all = tallyOf(whole, option);
        return (
          <g key={option}>
            {parts.map(({ name, figures, color }, index) => {
              const left = middle + (index - parts.length / 2) * bar;
              const tally = tallyOf(figures, option);
              const { share, count: number } = tally;
              const { low, high } = shareInterval(tally);
              return (
                <g key={name}>
                  <title>{`${name}: ${percent(share, 1)} (${count(number)} of ${count(figures.n)})`}</title>
                  <rect
                    className="grows"
                    x={left + 1}
                    y={y(share)}
                    width={bar - 2}
                    height={y(0) - y(share)}
                    fill={color}
                    stroke="var(--line-strong)"
                    strokeWidth={0.5}
                  />
                  {figures.n > 0 && (
                    <Whisker upright from={y(low)} to={y(high)} bar={y(share)} at={left + bar / 2} />
                  )}
                  <Word
                    x={left + bar / 2}
                    y={(figures.n === 0 ? y(0) : y(high)) - 9}
                    anchor="middle"
                    weight={600}
                    text={figures.n === 0 ? '–' : String(Math.round(share * 100))}
                  />
                </g>
              );
            })}
            <Lines
              x={middle}
              y={foot + LINE_PX / 2}
              anchor="middle"
              weight={600}
              lines={labels[place] ?? []}
              full={option}
            />
            <Word
              x={middle}
              y={foot + (labels[place]?.length ?? 1) * LINE_PX + LINE_PX / 2}
              anchor="middle"
              text={wrap(`all ${percent(all.share, 1)} · ${count(all.count)}`, slot - 4, 1)[0] ?? ''}
              fill="var(--ink-soft)"
            />
          </g>
        );
      })}
    </Drawing>
  );
}
