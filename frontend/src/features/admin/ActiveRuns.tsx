import { useState } from 'react';
import { Alert, Button, Progress, Tag } from 'antd';
import { Link } from 'react-router';
import { useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { canPause, canResume, canStop, isActive } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { answeredWords, displayOf, labels } from '@/runs/display';
import { StopRun } from '@/runs/StopRun';
import { useRunActions } from '@/runs/useRunActions';
import { DataTable, type Column } from '@/ui/DataTable';

const POLL_MS = 3000;

const columns: Column<Simulation>[] = [
  {
    title: 'Simulation',
    key: 'run',
    untitled: true,
    render: (_, run) => (
      <>
        <Link to={paths.responses(run.surveyId, run.simulationId)}>{run.name ?? run.surveyTitle}</Link>
        <p className="muted">
          {run.groupName}, by {run.startedBy ?? `user ${run.userId}`}
        </p>
      </>
    ),
  },
  {
    title: 'Status',
    key: 'status',
    width: '18rem',
    render: (_, run) => (
      <>
        <Tag color={labels[displayOf(run.status)].color}>{labels[displayOf(run.status)].text}</Tag>{' '}
        <span className="muted">{answeredWords(run)}</span>
        <Progress
          aria-label={`Progress of ${run.name ?? run.surveyTitle}`}
          size="small"
          showInfo={false}
          status="normal"
          percent={(100 * (run.successfulRequests + run.failedRequests)) / Math.max(1, run.totalRequests)}
        />
      </>
    ),
  },
  {
    title: 'Actions',
    key: 'actions',
    untitled: true,
    width: '14rem',
    render: (_, run) => <Actions run={run} />,
  },
];

/** The runs of everybody that are not over, and the means to pause and stop them. */
export function ActiveRuns() {
  const { data: runs, error } = useGet(
    '/api/simulations',
    { params: { query: { limit: 100 } } },
    polling(POLL_MS, (latest) => latest?.some(({ status }) => isActive(status)) ?? false),
  );
  if (error !== undefined && runs === undefined)
    return <Alert type="error" title="Failed to load the simulations" />;
  const active = runs?.filter(({ status }) => isActive(status)) ?? [];
  if (active.length === 0) return <p className="muted">Nothing is running.</p>;
  return (
    <DataTable
      rows={active}
      rowKey={({ simulationId }) => simulationId}
      columns={columns}
      name="simulations"
    />
  );
}

function Actions({ run }: { run: Simulation }) {
  const { busy, act } = useRunActions(run, () => undefined);
  const [stopping, setStopping] = useState(false);
  return (
    <div className="row-actions">
      {canPause(run.status) && (
        <Button size="small" disabled={busy !== null} onClick={() => void act('pause')}>
          Pause
        </Button>
      )}
      {canResume(run.status) && (
        <Button size="small" disabled={busy !== null} onClick={() => void act('resume')}>
          Resume
        </Button>
      )}
      {canStop(run.status) && (
        <Button size="small" danger disabled={busy !== null} onClick={() => setStopping(true)}>
          Stop…
        </Button>
      )}
      {stopping && <StopRun run={run} onStop={() => act('stop')} onClose={() => setStopping(false)} />}
    </div>
  );
}
