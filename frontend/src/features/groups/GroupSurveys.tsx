import { Alert, Tag } from 'antd';
import { useAll } from '@/api/hooks';
import { useSession, type Session } from '@/api/session';
import type { Survey } from '@/api/types';
import { paths } from '@/paths';
import { DataTable, type Column } from '@/ui/DataTable';
import { date } from '@/ui/format';
import { EmptyState, LinkButton, Loading } from '@/ui/Page';

/** A super administrator reads results; the questions of a survey open for its group alone. */
const columnsFor = (user: Session | null): Column<Survey>[] => [
  {
    title: 'Survey',
    key: 'survey',
    untitled: true,
    render: (_, { title, description }) => (
      <>
        <strong className="two-lines" title={title}>
          {title}
        </strong>
        <p className="muted two-lines" title={description}>
          {description}
        </p>
      </>
    ),
  },
  {
    title: 'Status',
    key: 'status',
    render: (_, { visibility }) => (
      <Tag color={visibility === 'PUBLIC' ? 'success' : 'default'}>
        {visibility === 'PUBLIC' ? 'Public' : 'Private'}
      </Tag>
    ),
  },
  { title: 'Created', key: 'created', render: (_, { createdAt }) => date(createdAt) },
  {
    title: 'Actions',
    key: 'actions',
    untitled: true,
    render: (_, { id, simulationId }) =>
      user?.role !== 'super_admin' ? (
        <LinkButton size="small" to={paths.survey(id)}>
          Open
        </LinkButton>
      ) : simulationId == null ? (
        <span className="muted">No runs yet</span>
      ) : (
        <LinkButton size="small" to={paths.runsOf(id)}>
          Results
        </LinkButton>
      ),
  },
];

/** The surveys of a group that the user may see: their own, and what is public in it. */
export function GroupSurveys({ group }: { group: number }) {
  const user = useSession();
  const mine = useAll('/api/surveys/my', {});
  const shared = useAll('/api/surveys/my', { params: { query: { shared: true } } });
  if (mine.data === undefined || shared.data === undefined) {
    return (mine.error ?? shared.error) === undefined ? (
      <Loading />
    ) : (
      <Alert type="error" title="Failed to load surveys" />
    );
  }
  const all = new Map([...shared.data, ...mine.data].map((survey) => [survey.id, survey]));
  const surveys = [...all.values()].filter(({ groupId }) => groupId === group);
  if (surveys.length === 0) {
    return (
      <EmptyState title="No surveys in this group yet.">
        Members see their own surveys here, and those that are public.
      </EmptyState>
    );
  }
  return <DataTable rows={surveys} rowKey={({ id }) => id} columns={columnsFor(user)} name="surveys" />;
}
