import { Alert, Progress, Tag } from 'antd';
import { Link } from 'react-router';
import { useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { isActive, percentOf } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { answeredWords, displayOf, labels } from '@/runs/display';
import { RunControls } from '@/runs/RunControls';
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
          percent={percentOf(run)}
        />
      </>
    ),
  },
  {
    title: 'Actions',
    key: 'actions',
    untitled: true,
    width: '14rem',
    render: (_, run) => (
      <div className="row-actions">
        <RunControls run={run} />
      </div>
    ),
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
