import { Alert, Tag } from 'antd';
import { messageOf } from '@/api/client';
import { useAll } from '@/api/hooks';
import { polling } from '@/api/polling';
import { askedOf, isMoving } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { displayOf, labels, skippedWords } from '@/runs/display';
import { RunControls } from '@/runs/RunControls';
import { DataTable, type Column } from '@/ui/DataTable';
import { count, dateAndTime, relativeDate } from '@/ui/format';
import { EmptyState, LinkButton, Loading } from '@/ui/Page';
import { usePageInAddress } from '@/ui/titleAndAddress';

const POLL_MS = 2000;

/** Every member's runs in a group, to be paused, stopped and retried. */
export function GroupRuns({ group }: { group: number }) {
  const page = usePageInAddress();
  const {
    data: runs,
    error,
    mutate,
  } = useAll(
    '/api/simulations',
    { params: { query: { groupId: group } } },
    polling(POLL_MS, (latest) => latest?.some(({ status }) => isMoving(status)) ?? false),
  );
  if (runs === undefined) {
    return error === undefined ? (
      <Loading />
    ) : (
      <Alert type="error" title={messageOf(error, 'Failed to load simulations')} />
    );
  }
  if (runs.length === 0) return <EmptyState title="No runs in this group yet." />;
  const columns: Column<Simulation>[] = [
    {
      title: 'Run',
      key: 'run',
      untitled: true,
      render: (_, run) => (
        <>
          <strong className="two-lines" title={run.name ?? run.surveyTitle}>
            {run.name ?? run.surveyTitle}
          </strong>
          {run.name != null && (
            <p className="muted two-lines" title={run.surveyTitle}>
              {run.surveyTitle}
            </p>
          )}
        </>
      ),
    },
    { title: 'Member', key: 'member', render: (_, run) => run.startedBy ?? '–' },
    { title: 'Twins', key: 'twins', align: 'right', render: (_, run) => count(run.personaCount) },
    {
      title: 'Answers',
      key: 'answers',
      align: 'right',
      render: (_, run) => (
        <>
          {count(run.successfulRequests)} of {count(askedOf(run))}
          {skippedWords(run).map((words) => (
            <p key={words} className="muted">
              {words}
            </p>
          ))}
        </>
      ),
    },
    {
      title: 'Failed',
      key: 'failed',
      align: 'right',
      sorter: (a, b) => a.failedRequests - b.failedRequests,
      render: (_, run) => count(run.failedRequests),
    },
    {
      title: 'Status',
      key: 'status',
      render: (_, run) => {
        const { text, color } = labels[displayOf(run.status)];
        return <Tag color={color}>{text}</Tag>;
      },
    },
    {
      title: 'Date',
      key: 'date',
      render: (_, { created_at: created }) => (
        <time dateTime={created} title={dateAndTime(created)}>
          {relativeDate(created)}
        </time>
      ),
    },
    {
      title: 'Actions',
      key: 'actions',
      untitled: true,
      render: (_, run) => (
        <div className="row-actions">
          <LinkButton size="small" to={paths.responses(run.surveyId, run.simulationId)}>
            Open
          </LinkButton>
          <RunControls run={run} onChange={() => void mutate()} />
        </div>
      ),
    },
  ];
  return (
    <DataTable rows={runs} rowKey={(run) => run.simulationId} columns={columns} name="runs" turned={page} />
  );
}
