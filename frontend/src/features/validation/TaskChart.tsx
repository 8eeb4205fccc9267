import type { Validation } from '@/api/validation';
import { EvidenceChart } from '@/charts/evidence/EvidenceChart';
import { TaskDots } from '@/charts/evidence/TaskDots';
import { findingOf, linesOf, sorted } from '@/charts/evidence/tasks';
import { count } from '@/ui/format';
import { armName } from './figures';
import { TaskTable } from './TaskTable';

const TITLE = 'Accuracy by task';

/** The chart of tasks: twins of the headline variant between chance and the same people weeks later. */
export function TaskChart({ of }: { of: Validation }) {
  const { arms, headline, model } = of;
  const tasks = sorted(of.tasks);
  if (tasks.length === 0) return null;
  const twins = arms.find(({ key }) => key === headline)?.people ?? of.people;
  const name = armName(arms, headline);
  return (
    <div className="trust-tasks">
      <EvidenceChart
        title={TITLE}
        heading="h2"
        about="ceilings-and-baselines"
        meta={`n = ${count(twins)} twins (${name}) · one minus the distance to the person’s own answer, over the scale · sorted by the part of the ceiling`}
        finding={findingOf(tasks)}
        source={`Digital Twin Lab · ${model} · n = ${count(twins)} twins`}
        lines={linesOf(tasks)}
      >
        {(width) => <TaskDots tasks={tasks} twins={`Twins (${name})`} width={width} label={TITLE} />}
      </EvidenceChart>
      <TaskTable tasks={tasks} />
    </div>
  );
}
