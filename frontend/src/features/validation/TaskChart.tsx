import type { Validation } from '@/api/validation';
import { count } from '@/ui/format';
import { EvidenceChart } from '../results/evidence/EvidenceChart';
import { armName } from './figures';
import { TaskDots } from './TaskDots';
import { TaskTable } from './TaskTable';
import { findingOf, linesOf, sorted } from './tasks';

const TITLE = 'Accuracy by task';

/** What twins of the headline variant reach in each task, between chance and the same people weeks later. */
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
