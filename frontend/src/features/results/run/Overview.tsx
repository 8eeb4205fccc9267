import { useGet } from '@/api/hooks';
import { live } from '@/api/live';
import { askedOf, isActive, isMoving } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { Diagnostics } from '@/runs/Diagnostics';
import { skippedWords } from '@/runs/display';
import { DataTable, type Column } from '@/ui/DataTable';
import { count, dateAndTime } from '@/ui/format';
import { DealtArms } from './DealtArms';

interface Cause {
  code: string;
  message: string;
  count: number;
  personas: number;
}

const columns: Column<Cause>[] = [
  { title: 'Reason', key: 'reason', dataIndex: 'message' },
  { title: 'Requests', key: 'requests', align: 'right', render: (_, cause) => count(cause.count) },
  { title: 'Digital twins', key: 'twins', align: 'right', render: (_, cause) => count(cause.personas) },
];

/** The overview of a run, with the reasons why requests failed. */
export function Overview({ run }: { run: Simulation }) {
  const { data: causes = [] } = useGet(
    run.failedRequests === 0 ? null : '/api/simulations/{simulationId}/failures',
    { params: { path: { simulationId: run.simulationId } } },
    { ...live<Cause[]>(isMoving(run.status)), keepPreviousData: true },
  );
  return (
    <>
      <p>
        {count(run.personaCount)} digital twins are asked {count(run.totalQuestions)} questions,{' '}
        {[`${count(askedOf(run))} requests in all`, ...skippedWords(run)].join(', ')}, by{' '}
        {run.demoModel ? 'the demo model' : run.parameters.model}. Started on {dateAndTime(run.created_at)} by{' '}
        {run.startedBy ?? `user ${run.userId}`} in {run.groupName}
        {run.attempt > 1 && `; what was left was asked again, pass ${run.attempt}`}.
      </p>
      <DealtArms run={run} />
      <h2 className="run-overview-title">Failed requests</h2>
      {run.failedRequests === 0 ? (
        <p className="muted">None.</p>
      ) : (
        <DataTable rows={causes} rowKey="code" columns={columns} name="reasons" />
      )}
      {!isActive(run.status) && run.successfulRequests > 0 && <Diagnostics run={run} />}
    </>
  );
}
