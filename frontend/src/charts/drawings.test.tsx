import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { Tally } from '@/api/types';
import type { ValidatedTask } from '@/api/validation';
import { Agreement } from './Agreement';
import { Bars, GroupedBars, SplitBars } from './Bars';
import { Dots } from './evidence/Dots';
import { Reliability } from './evidence/Reliability';
import { Slope } from './evidence/Slope';
import { StepPair } from './evidence/StepPair';
import { TaskDots } from './evidence/TaskDots';
import { ALL, type Figures, type Part } from './figures';
import { Means } from './Means';

/** A page on a desktop, one beside a menu, and a phone. */
const WIDTHS = [1000, 600, 330];

/** Quantiles of the normal distribution and of Student's t with 99 degrees of freedom, for intervals of 95 %. */
const Z = 1.959963984540055;
const T = 1.984216951586417;

/** Wilson's interval, which the server sends with each share. */
function intervalOf(count: number, n: number) {
  if (n === 0) return {};
  const share = count / n;
  const centre = share + (Z * Z) / (2 * n);
  const half = Z * Math.sqrt((share * (1 - share)) / n + (Z * Z) / (4 * n * n));
  const whole = 1 + (Z * Z) / n;
  return { low: count === 0 ? 0 : (centre - half) / whole, high: count === n ? 1 : (centre + half) / whole };
}

/** Mean rank of a hundred answers with its interval, which the server sends with each row. */
function momentsOf(counts: readonly Tally[]) {
  const n = counts.reduce((sum, { count }) => sum + count, 0);
  const mean = counts.reduce((sum, { count }, index) => sum + count * (index + 1), 0) / n;
  const squares = counts.reduce((sum, { count }, index) => sum + count * (index + 1 - mean) ** 2, 0);
  const sd = Math.sqrt(squares / (n - 1));
  const half = (T * sd) / Math.sqrt(n);
  return { n, mean, sd, meanLow: mean - half, meanHigh: mean + half };
}

const tallies = (values: readonly string[], counts: readonly number[]): Tally[] => {
  const n = counts.reduce((sum, each) => sum + each, 0);
  return values.map((value, index) => ({
    value,
    count: counts[index] ?? 0,
    share: n === 0 ? 0 : (counts[index] ?? 0) / n,
    ...intervalOf(counts[index] ?? 0, n),
  }));
};
const choice = (values: readonly string[], ...counts: number[]): Figures => ({
  n: counts.reduce((sum, each) => sum + each, 0),
  counts: tallies(values, counts),
  rows: [],
  bins: [],
});

const LONG = 'Only if a colleague takes me along, which is seldom enough, and never when it rains or snows';
const options = ['By bus', 'By car', LONG];
const whole = choice(options, 120, 60, 20);
const groups: Part[] = [
  { name: 'Women', figures: choice(options, 70, 20, 10), color: 'var(--chart-1)' },
  { name: 'Men without a licence or a car of their own', figures: choice(options, 50, 40, 10) },
  { name: '(not stated)', figures: choice(options, 0, 0, 0) },
];
const notes = new Map([
  ['By bus', { text: 'V = .21, p < .001', differs: true }],
  [LONG, { text: 'V = .02, p = .91', differs: false }],
]);
const texts = new Map([['Fares are fair', 'F(2, 197) = 4.11, p = .018, η² = .04']]);

const degrees = ['Strongly disagree', 'Disagree', 'Neutral', 'Agree', 'Strongly agree'];
const rows = ['Fares are fair', LONG];
const rated = (...counts: number[][]): Figures => ({
  n: 100,
  counts: [],
  bins: [],
  rows: rows.map((row, index) => ({
    row,
    counts: tallies(degrees, counts[index] ?? []),
    ...momentsOf(tallies(degrees, counts[index] ?? [])),
  })),
});
const rating = choice(degrees, 10, 20, 30, 25, 15);
const agreed: Part[] = [
  { name: ALL, figures: rated([10, 20, 30, 25, 15], [50, 30, 10, 5, 5]) },
  { name: 'Women', figures: rated([0, 10, 30, 35, 25], [40, 30, 20, 5, 5]), color: 'var(--group-1)' },
  { name: 'Men', figures: rated([20, 30, 30, 15, 5], [60, 30, 0, 5, 5]), color: 'var(--group-5)' },
];

const figure = (value: number, low: number | null = null, high: number | null = null) => ({
  value,
  n: 100,
  low,
  high,
});
const tasks = [
  {
    key: 'one',
    title: 'Political views and the vote in the last election',
    items: 12,
    people: 300,
    random: 0.33,
    ceiling: figure(0.82),
    empty: figure(0.51),
    twins: figure(0.71, 0.68, 0.74),
    ofCeiling: 0.87,
  },
  { key: 'two', title: 'Games', items: 1, people: 300, twins: figure(0.4) },
] as unknown as ValidatedTask[];
const effect = (value: number) => ({ value, low: value - 0.4, high: value + 0.3 });

const drawings: Record<string, (width: number) => ReactElement> = {
  bars: (width) => <Bars {...{ options, whole, width }} most={0.8} label="Bars" />,
  'grouped-bars': (width) => (
    <GroupedBars {...{ options, whole, width }} parts={groups} most={1} label="Groups" />
  ),
  'split-bars': (width) => (
    <SplitBars {...{ options, whole, width, notes }} parts={groups} most={0.8} turned={false} label="Split" />
  ),
  'split-bars-turned': (width) => (
    <SplitBars {...{ options, whole, width, notes }} parts={groups} most={0.8} turned label="Split" />
  ),
  agreement: (width) => (
    <Agreement
      {...{ rows, width }}
      every={agreed.slice(0, 1)}
      reaches={{ left: 0.9, right: 0.6 }}
      label="Agreement"
    />
  ),
  'agreement-choice': (width) => (
    <Agreement
      width={width}
      rows={['']}
      every={[
        { name: ALL, figures: { ...rating, rows: [{ ...rating, row: '', ...momentsOf(rating.counts) }] } },
      ]}
      reaches={{ left: 0.5, right: 0.6 }}
      label="Agreement"
    />
  ),
  'agreement-split': (width) => (
    <Agreement
      {...{ rows, width }}
      every={agreed}
      notes={texts}
      reaches={{ left: 0.9, right: 0.8 }}
      label="Agreement"
    />
  ),
  means: (width) => (
    <Means {...{ rows, width }} every={agreed.slice(0, 1)} type="CONSTANT_SUM" ends={[0, 4]} label="Means" />
  ),
  'means-split': (width) => (
    <Means
      {...{ rows, width }}
      every={agreed}
      type="CONSTANT_SUM"
      ends={[0, 4]}
      notes={texts}
      label="Means"
    />
  ),
  ranks: (width) => (
    <Means {...{ rows, width }} every={agreed.slice(0, 2)} type="RANK" ends={[0, 4]} label="Ranks" />
  ),
  'best-worst': (width) => (
    <Means {...{ rows, width }} every={agreed.slice(0, 1)} type="BEST_WORST" ends={[0, 4]} label="Best" />
  ),
  dots: (width) => (
    <Dots
      dots={[
        { name: 'fair', value: 0.75, low: 0.7, high: 0.8 },
        { name: LONG, value: -1.2, low: null, high: null },
      ]}
      marks={[{ at: 0.5, name: 'Chance' }]}
      ends={[-1, 1]}
      width={width}
      label="Dots"
    />
  ),
  'task-dots': (width) => <TaskDots tasks={tasks} twins="Twins" width={width} label="Tasks" />,
  reliability: (width) => (
    <Reliability
      bins={[
        { n: 100, forecast: 0.25, observed: 0.2, low: 0.17, high: 0.35 },
        { n: 4, forecast: 0.75, observed: 0.5, low: null, high: null },
      ]}
      width={width}
      label="Forecasts"
    />
  ),
  slope: (width) => (
    <Slope
      effects={[
        { name: 'fair', people: effect(1), twins: effect(0.4) },
        { name: 'pay', people: effect(-0.5), twins: effect(-0.2) },
      ]}
      width={width}
      label="Effects"
    />
  ),
  steps: (width) => (
    <StepPair
      points={[
        { value: 1, people: 0.5, twins: 0 },
        { value: 3, people: 1, twins: 1 },
      ]}
      width={width}
      label="Distributions"
    />
  ),
  'steps-of-one-value': (width) => (
    <StepPair points={[{ value: 2, people: 1, twins: 1 }]} width={width} label="Distributions" />
  ),
};

/** An element a line, so that a difference can be read. */
const readable = (markup: string) => `${markup.replaceAll('><', '>\n<')}\n`;

it.each(Object.entries(drawings))('%s is drawn as before, at every width', async (name, draw) => {
  const drawn = WIDTHS.map((width) => readable(renderToStaticMarkup(draw(width)))).join('\n');
  await expect(drawn).toMatchFileSnapshot(`drawings/${name}.svg.txt`);
});

it('a bar has a mark at the mean probability that twins gave', () => {
  const [bus, car] = whole.counts;
  if (bus === undefined || car === undefined) throw new Error('two options');
  const marked: Figures = { ...whole, counts: [{ ...bus, probability: { mean: bus.share } }, car] };
  const drawn = renderToStaticMarkup(
    <Bars options={options.slice(0, 2)} whole={marked} width={600} most={0.8} label="Bars" />,
  );
  const marks = [...drawn.matchAll(/<line class="chart-probability" x1="([\d.]+)"/g)];
  const [bar] = [...drawn.matchAll(/<rect class="grows" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)];
  expect(marks).toHaveLength(1);
  // The mark is at the end of a bar of the same share.
  expect(Number(marks[0]?.[1])).toBeCloseTo(Number(bar?.[1]) + Number(bar?.[2]), 1);
  expect(drawn).toContain(`Mean probability ${(100 * bus.share).toFixed(1)} %`);
});
