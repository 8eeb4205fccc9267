import type { ValidatedTask } from '@/api/validation';
import { formatDecimal, formatInterval } from '@/ui/numbers';
import type { Cell } from '../table';

/** The best first, by the part of the ceiling that twins reach; those without answers last. */
export const sorted = (tasks: readonly ValidatedTask[]): ValidatedTask[] =>
  tasks.toSorted((one, other) => (other.ofCeiling ?? -1) - (one.ofCeiling ?? -1));

/** The ends of an axis in tenths that holds everything drawn, 1 with it. */
export function axisOf(tasks: readonly ValidatedTask[]): [low: number, high: number] {
  const drawn = tasks.flatMap(({ random, ceiling, empty, twins }) =>
    [random, ceiling?.value, empty?.value, twins?.value, twins?.low, twins?.high].filter(
      (value) => value != null,
    ),
  );
  const low = Math.floor(Math.min(0.9, ...drawn) * 10 + 1e-9);
  const high = Math.ceil(Math.max(1, ...drawn) * 10 - 1e-9);
  return [low / 10, high / 10];
}

/** Round numbers from one end of the axis towards the other, at most so many. */
export function ticksOf([low, high]: readonly [number, number], most: number): number[] {
  const [first, last] = [Math.round(low * 10), Math.round(high * 10)];
  const step = [1, 2, 5].find((each) => (last - first) / each + 1 <= most) ?? last - first;
  const ticks: number[] = [];
  for (let at = last; at >= first; at -= step) ticks.unshift(at / 10);
  return ticks;
}

/** Counts the tasks in which the profile adds more than chance explains, in a sentence. */
export function findingOf(tasks: readonly ValidatedTask[]): string {
  const compared = tasks.filter(({ empty, twins }) => empty != null && twins?.low != null);
  if (compared.length === 0) return '';
  const below = compared.filter(({ empty, twins }) => (empty?.value ?? 1) < (twins?.low ?? 0));
  return `In ${below.length} of ${compared.length} tasks the empty profile lies below the twins’ interval.`;
}

/** The figures beside the drawing of a task's row. */
export const figuresOf = ({ twins, ceiling, ofCeiling }: ValidatedTask) => ({
  twins: twins == null ? '–' : formatDecimal(twins.value, 3),
  ceiling: ceiling == null ? '–' : formatDecimal(ceiling.value, 3),
  ofCeiling: ofCeiling == null ? '–' : formatDecimal(ofCeiling),
});

/** All that is drawn, in words. */
export function wordsOf(task: ValidatedTask): string {
  const { title, twins, empty, random, ofCeiling } = task;
  const figures = figuresOf(task);
  const interval = twins == null ? '' : formatInterval(twins, (value) => formatDecimal(value, 3));
  return [
    [`${title}: twins ${figures.twins}`, interval].filter(Boolean).join(' '),
    ...(empty == null ? [] : [`empty profile ${formatDecimal(empty.value, 3)}`]),
    ...(random == null ? [] : [`random ${formatDecimal(random, 3)}`]),
    `ceiling ${figures.ceiling}`,
    ...(ofCeiling == null ? [] : [`${figures.ofCeiling} of the ceiling`]),
  ].join(', ');
}

const bounds = (figure: ValidatedTask['twins']): Cell[] => [
  figure?.value ?? null,
  figure?.low ?? null,
  figure?.high ?? null,
];

/** Lines for programs: one per task. */
export const linesOf = (tasks: readonly ValidatedTask[]): Cell[][] => [
  [
    ...['task', 'items', 'people', 'random'],
    ...['ceiling', 'empty', 'twins'].flatMap((name) => [name, `${name}_ci95_low`, `${name}_ci95_high`]),
    'of_ceiling',
  ],
  ...tasks.map(({ title, items, people, random, ceiling, empty, twins, ofCeiling }) => [
    title,
    items,
    people,
    random ?? null,
    ...bounds(ceiling),
    ...bounds(empty),
    ...bounds(twins),
    ofCeiling ?? null,
  ]),
];
