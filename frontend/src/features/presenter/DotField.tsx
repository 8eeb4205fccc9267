/** Width of the field to its height, in dots. */
const SHAPE = 3.2;
/** Distance between dots, and the radius of one, in the picture's units. */
const STEP = 12;
const RADIUS = 4.3;

/** Twins in a row of the field's columns: 25 for 2,000 twins. */
export const rowsFor = (twins: number) => Math.max(1, Math.round(Math.sqrt(twins / SHAPE)));

export interface DotPart {
  key: string;
  count: number;
  color: string;
  ring?: boolean;
}

/** Its width to its height. */
export const shapeOf = (twins: number) => Math.ceil(twins / rowsFor(twins)) / rowsFor(twins);

/** One dot a twin, column after column, coloured part by part. It says nothing that stands nowhere else in words. */
export function DotField({ twins, parts }: { twins: number; parts: readonly DotPart[] }) {
  const rows = rowsFor(twins);
  const columns = Math.ceil(twins / rows);
  const ends = parts.map((_, place) => parts.slice(0, place + 1).reduce((sum, { count }) => sum + count, 0));
  return (
    <svg className="dot-field" viewBox={`0 0 ${columns * STEP} ${rows * STEP}`} aria-hidden="true">
      {parts.map(({ key, count, color, ring }, place) => (
        <path
          key={key}
          d={dots((ends[place] ?? 0) - count, ends[place] ?? 0, rows)}
          fill={ring ? 'var(--brand-soft)' : color}
          stroke={ring ? color : 'none'}
        />
      ))}
    </svg>
  );
}

/** The dots from one twin to before another as one path: thousands of elements would make a drag stutter. */
function dots(from: number, to: number, rows: number): string {
  let path = '';
  for (let twin = from; twin < to; twin += 1) {
    const x = Math.floor(twin / rows) * STEP + STEP / 2 - RADIUS;
    const y = (twin % rows) * STEP + STEP / 2;
    path += circle(x, y);
  }
  return path;
}

const arc = `a${RADIUS} ${RADIUS} 0 1 0 `;
const circle = (x: number, y: number) => `M${x} ${y}${arc}${2 * RADIUS} 0${arc}${-2 * RADIUS} 0`;

/** How many dots stand side by side in a bin, and how many the picture is high. */
export function dotsOfBins(counts: readonly number[]): { across: number; width: number; high: number } {
  const most = Math.max(1, ...counts);
  const across = Math.max(1, Math.round(Math.sqrt((SHAPE * most) / Math.max(1, counts.length))));
  const width = counts.length * (across + 1);
  return { across, width, high: Math.max(Math.ceil(most / across), Math.ceil(width / 3.6)) };
}

/** A histogram of dots, one a twin, from the bottom upwards; `scale` are the counts that it must have room for. */
export function DotHistogram({
  counts,
  scale,
  color,
}: {
  counts: readonly number[];
  scale: readonly number[];
  color: string;
}) {
  const { across, width, high } = dotsOfBins(scale);
  const path = counts.map((count, bin) => {
    let bars = '';
    for (let dot = 0; dot < count; dot += 1) {
      const x = (bin * (across + 1) + 0.5 + (dot % across)) * STEP + STEP / 2 - RADIUS;
      bars += circle(x, (high - Math.floor(dot / across)) * STEP - STEP / 2);
    }
    return bars;
  });
  return (
    <svg className="dot-field" viewBox={`0 0 ${width * STEP} ${high * STEP}`} aria-hidden="true">
      <path d={path.join('')} fill={color} />
    </svg>
  );
}
