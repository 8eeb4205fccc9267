import type { ValidatedTask } from '@/api/validation';
import { count } from '@/ui/format';
import { formatDecimal } from '@/ui/numbers';
import { nameRoom, RowChart, type ChartRow } from '../RowChart';
import { linear } from '../scale';
import { Lines, Word } from '../svg';
import { LINE_PX, widthOf, wrap } from '../text';
import { TaskLegend, taskLegend, TaskMarks } from './TaskMarks';
import { axisOf, figuresOf, ticksOf, wordsOf } from './tasks';

/** Narrower drawings have names and figures above their marks. */
const NARROW = 640;
const HEAD = 24;
const ROW = 22;
const GAP = 6;
const columns = [
  { key: 'twins', title: 'Twins', weight: 600 },
  { key: 'ceiling', title: 'Ceiling', weight: 400 },
  { key: 'ofCeiling', title: 'Of the ceiling', weight: 600 },
] as const;
const COLUMN_GAP = 22;

/** How near twins come to the ceiling, a row a task. */
export function TaskDots({
  tasks,
  twins,
  width,
  label,
}: {
  tasks: readonly ValidatedTask[];
  /** Name of the twins whose answers the dots show. */
  twins: string;
  width: number;
  label: string;
}) {
  const stacked = width < NARROW;
  const key = taskLegend(twins, width);
  const ends = axisOf(tasks);
  const figureWidths = columns.map(({ title }) => widthOf(title, 600) + COLUMN_GAP);
  const figures = figureWidths.reduce((sum, each) => sum + each, 0);
  const names = nameRoom(
    tasks.map(({ title }) => title),
    width,
    { share: 0.28 },
  );
  const items = names + 16 + widthOf('Items', 600);
  const [start, end] = stacked ? [8, width - 8] : [items + 18, width - figures - 4];
  const x = linear(ends[0], ends[1], start, end);
  const ticks = ticksOf(ends, stacked ? 4 : 7);
  const rowOf = (task: ValidatedTask): ChartRow => {
    const lines = wrap(task.title, stacked ? width : names, 2, stacked ? 600 : 400);
    const said = stacked ? wrap(inWords(task), width, 2) : [];
    const words = (lines.length + said.length) * LINE_PX;
    const body = stacked ? words + ROW + 4 : Math.max(ROW, lines.length * LINE_PX);
    const middle = stacked ? body - ROW / 2 : body / 2;
    const shown = figuresOf(task);
    return {
      key: task.key,
      name: { lines, full: task.title, weight: stacked ? 600 : 400 },
      isStacked: stacked,
      at: middle,
      height: body + (stacked ? 2 * GAP : GAP),
      title: wordsOf(task),
      draw: (at) => (
        <>
          {stacked ? (
            <Lines
              x={0}
              y={at - middle + (lines.length + 0.5) * LINE_PX}
              lines={said}
              fill="var(--ink-soft)"
              full={inWords(task)}
            />
          ) : (
            <>
              <Word x={items} y={at} anchor="end" text={count(task.items)} fill="var(--ink-soft)" />
              {columns.map(({ key: column, weight }, index) => (
                <Word
                  key={column}
                  x={columnEnd(width, figureWidths, index)}
                  y={at}
                  anchor="end"
                  weight={weight}
                  text={shown[column]}
                />
              ))}
            </>
          )}
          {/* Not through the words above. */}
          {stacked && ticks.map((tick) => <Grid key={tick} x={x(tick)} from={at - 12} to={at + 12} />)}
          <TaskMarks task={task} x={x} y={at} />
        </>
      ),
    };
  };
  const head = key.height + LINE_PX / 2;
  return (
    <RowChart
      {...{ width, label }}
      top={key.height + HEAD}
      blocks={[{ key: 'tasks', rows: tasks.map(rowOf) }]}
      ground={(bottom) => (
        <>
          <TaskLegend keys={key.keys} />
          {ticks.map((tick) => (
            <g key={tick}>
              {!stacked && <Grid x={x(tick)} from={key.height + HEAD - 4} to={bottom} />}
              <Word x={x(tick)} y={head} anchor="middle" text={formatDecimal(tick)} fill="var(--ink-soft)" />
            </g>
          ))}
          {!stacked && (
            <>
              <Word x={0} y={head} weight={600} text="Task" fill="var(--ink-soft)" />
              <Word x={items} y={head} anchor="end" weight={600} text="Items" fill="var(--ink-soft)" />
              {columns.map(({ title }, index) => (
                <Word
                  key={title}
                  x={columnEnd(width, figureWidths, index)}
                  y={head}
                  anchor="end"
                  weight={600}
                  text={title}
                  fill="var(--ink-soft)"
                />
              ))}
            </>
          )}
        </>
      )}
    />
  );
}

const Grid = ({ x, from, to }: { x: number; from: number; to: number }) => (
  <line x1={x} x2={x} y1={from} y2={to} stroke="var(--line)" />
);

const columnEnd = (width: number, widths: readonly number[], index: number) =>
  width - widths.slice(index + 1).reduce((sum, each) => sum + each, 0);

/** The text in place of the columns where there is no room for them. */
function inWords(task: ValidatedTask): string {
  const { twins, ceiling, ofCeiling } = figuresOf(task);
  const items = `${count(task.items)} ${task.items === 1 ? 'item' : 'items'}`;
  const part = task.ofCeiling == null ? [] : [`${ofCeiling} of it`];
  return [`Twins ${twins}`, `ceiling ${ceiling}`, ...part, items].join(' · ');
}
