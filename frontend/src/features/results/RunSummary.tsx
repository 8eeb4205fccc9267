import type { Simulation } from '@/api/types';
import { count, dateAndTime } from '@/ui/format';

const FALLBACK = 1;

/** The run in five figures; unknown counts are taken as 1. */
export function RunSummary({
  title,
  run,
  questions,
}: {
  title: string | undefined;
  run: Simulation;
  questions: number;
}) {
  const personas = run.personaCount || FALLBACK;
  const asked = run.totalQuestions || questions || FALLBACK;
  return (
    <dl className="run-summary">
      <div className="run-summary-title">
        <dt>Survey</dt>
        <dd>{title ?? '–'}</dd>
      </div>
      <div>
        <dt>Personas</dt>
        <dd>{count(personas)}</dd>
      </div>
      <div>
        <dt>Questions</dt>
        <dd>{count(asked)}</dd>
      </div>
      <div>
        <dt>Total cost</dt>
        <dd>{count(run.successfulRequests)} credits</dd>
      </div>
      <div>
        <dt>Date completed</dt>
        <dd>{run.completedAt ? dateAndTime(run.completedAt) : '–'}</dd>
      </div>
    </dl>
  );
}
