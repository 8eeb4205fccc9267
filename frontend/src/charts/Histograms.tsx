import type { Bin } from '@/api/types';
import { count } from '@/ui/format';
import { percent } from '@/ui/numbers';
import { edges, binName, axisLabels } from './bins';
import { type Figures, type Part } from './figures';
import { meanInterval, meanText } from './intervals';
import { linear } from './scale';
import { Drawing, Lines, Word } from './svg';
import { LINE_PX, widthOf, wrap } from './text';

/** Width of one histogram among several. */
const CELL = 190;
const CELL_GAP = 28;
const PLOT = 120;
const PLOT_ALONE = 190;
const ALONE = 720;
/** Room above the bars for the mean's mark and the shares. */
const AIR = 28;

interface Axes {
  range: [number, number];
  /** The end of the axis of shares. */
  most: number;
}

/** How often each number was answered: of all twins, or a small one per group, all with the same axes. */
export function Histograms({
  whole,
  parts,
  width,
  axes,
  label,
}: {
  whole: Figures;
  parts: readonly Part[];
  width: number;
  axes: Axes;
  label: string;
}) {
  if (parts.length === 0) {
    const room = Math.min(width, ALONE);
    return (
      <Drawing width={room} height={PLOT_ALONE + 2 * LINE_PX + 14} label={label}>
        <Word x={0} y={LINE_PX / 2} weight={600} text={`Mean ${meanText(whole)}`} />
        <Word x={room} y={LINE_PX / 2} anchor="end" text={spread(whole)} fill="var(--ink-soft)" />
        <Cell
          figures={whole}
          left={0}
          top={LINE_PX + 6}
          width={room}
          height={PLOT_ALONE}
          axes={axes}
          labelled
        />
      </Drawing>
    );
  }
  const perRow = Math.max(1, Math.min(parts.length, Math.floor((width + CELL_GAP) / (CELL + CELL_GAP))));
  const room = (width - (perRow - 1) * CELL_GAP) / perRow;
  const names = parts.map(({ name }) => wrap(name, room - 56, 2, 600));
  // Names in one row of histograms take as many lines as the longest of them.
  const titles = names.map((_, index) => {
    const first = index - (index % perRow);
    return Math.max(...names.slice(first, first + perRow).map(({ length }) => length)) * LINE_PX;
  });
  const below = LINE_PX + 6 + PLOT + LINE_PX + 24;
  const keyHeight = LINE_PX + 10;
  const topOf = (index: number) =>
    titles.reduce(
      (sum, title, each) => (each % perRow === 0 && each + perRow <= index ? sum + title + below : sum),
      keyHeight,
    );
  const last = parts.length - 1;
  return (
    <Drawing width={width} height={topOf(last) + (titles[last] ?? 0) + below - 10} label={label}>
      <Keys width={width} />
      {parts.map(({ name, figures }, index) => {
        const left = (index % perRow) * (room + CELL_GAP);
        const top = topOf(index);
        const title = titles[index] ?? 0;
        return (
          <g key={name}>
            <Lines x={left} y={top + LINE_PX / 2} lines={names[index] ?? []} weight={600} full={name} />
            <Word
              x={left + room}
              y={top + LINE_PX / 2}
              anchor="end"
              text={count(figures.n)}
              fill="var(--ink-soft)"
            />
            <Word x={left} y={top + title + LINE_PX / 2} weight={600} text={meanText(figures)} />
            <Word
              x={left + room}
              y={top + title + LINE_PX / 2}
              anchor="end"
              text={spread(figures)}
              fill="var(--ink-soft)"
            />
            <Cell
              figures={figures}
              whole={whole}
              left={left}
              top={top + title + LINE_PX + 6}
              width={room}
              height={PLOT}
              axes={axes}
            />
          </g>
        );
      })}
    </Drawing>
  );
}

const spread = ({ sd }: Figures) => (sd == null ? '' : `sd ${sd.toFixed(2)}`);

function Keys({ width }: { width: number }) {
  const y = LINE_PX / 2;
  const [answers, all, mean] =
    width < 420
      ? ['Group', 'All twins', 'Mean, 95 % CI']
      : ['This group, share of answers', 'All twins', 'Mean, 95 % CI'];
  const second = 16 + widthOf(answers) + 20;
  const third = second + 24 + widthOf(all) + 20;
  return (
    <g>
      <rect x={0} y={y - 5} width={10} height={10} rx={2} fill="var(--chart-answer)" />
      <Word x={16} y={y} text={answers} />
      <path d={`M${second} ${y + 4}v-6h8v4h8`} fill="none" stroke="var(--ink-soft)" strokeWidth={1.5} />
      <Word x={second + 24} y={y} text={all} />
      <path d={`M${third} ${y - 5}h10m-5 0v11`} stroke="var(--chart-mean)" strokeWidth={2} />
      <Word x={third + 18} y={y} text={mean} />
    </g>
  );
}

function Cell({
  figures,
  whole,
  left,
  top,
  width,
  height,
  axes,
  labelled = false,
}: {
  figures: Figures;
  /** Its outline is drawn behind. */
  whole?: Figures;
  left: number;
  top: number;
  width: number;
  height: number;
  axes: Axes;
  /** Shares stand above the bars where there is room. */
  labelled?: boolean;
}) {
  const x = linear(...axes.range, left, left + width);
  const y = linear(0, axes.most, top + height, top + AIR);
  const interval = meanInterval(figures);
  const room =
    figures.bins[0] === undefined ? 0 : x(edges(figures.bins[0])[1]) - x(edges(figures.bins[0])[0]);
  return (
    <g>
      {figures.bins.map((bin) => {
        const [from, to] = edges(bin);
        return (
          <g key={bin.from}>
            <title>{`${binName(bin)}: ${count(bin.count)} of ${count(figures.n)} (${percent(bin.share, 1)})`}</title>
            <rect
              className="grows"
              x={x(from) + 0.5}
              y={y(bin.share)}
              width={Math.max(0.5, x(to) - x(from) - 1)}
              height={y(0) - y(bin.share)}
              fill="var(--chart-answer)"
            />
            {labelled && room >= 34 && bin.count > 0 && (
              <Word
                x={(x(from) + x(to)) / 2}
                y={y(bin.share) - 9}
                anchor="middle"
                text={percent(bin.share)}
              />
            )}
          </g>
        );
      })}
      {whole !== undefined && (
        <path d={outline(whole.bins, x, y)} fill="none" stroke="var(--ink-soft)" strokeWidth={1.25} />
      )}
      <line x1={left} x2={left + width} y1={y(0)} y2={y(0)} stroke="var(--line-strong)" />
      {figures.mean != null && (
        <g stroke="var(--chart-mean)" strokeWidth={2}>
          <line x1={x(figures.mean)} x2={x(figures.mean)} y1={top + 3} y2={y(0)} />
          {interval !== null && (
            <line
              x1={x(Math.max(axes.range[0], interval.low))}
              x2={x(Math.min(axes.range[1], interval.high))}
              y1={top + 3}
              y2={top + 3}
            />
          )}
        </g>
      )}
      {axisLabels(figures.bins.length > 0 ? figures.bins : (whole?.bins ?? []), x).map(
        ({ at, text, anchor }) => (
          <Word
            key={text}
            x={at}
            y={top + height + LINE_PX / 2 + 4}
            anchor={anchor}
            text={text}
            fill="var(--ink-soft)"
          />
        ),
      )}
    </g>
  );
}

function outline(bins: readonly Bin[], x: (value: number) => number, y: (share: number) => number): string {
  const steps = bins.map((bin) => `V${y(bin.share)}H${x(edges(bin)[1])}`);
  return bins[0] === undefined ? '' : `M${x(edges(bins[0])[0])} ${y(0)}${steps.join('')}V${y(0)}`;
}
