import { Alert, Tag } from 'antd';
import { useAll } from '@/api/hooks';
import type { Group, MemberUsage } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { isLow } from '@/api/credits';
import { count, moneyWords } from '@/ui/format';
import { EmptyState, Loading } from '@/ui/Page';

type Amount = 'budget' | 'held' | 'spent' | 'runs';

const amount = (key: Amount, title: string): Column<MemberUsage> => ({
  title,
  key,
  align: 'right',
  sorter: (a, b) => a[key] - b[key],
  render: (_, usage) => count(usage[key]),
});

const columns: Column<MemberUsage>[] = [
  {
    title: 'Member',
    key: 'member',
    untitled: true,
    sorter: (a, b) => a.email.localeCompare(b.email),
    render: (_, { email, name, status, budget, held }) => (
      <>
        {name != null && <strong>{name} </strong>}
        <span className="long-word">{email}</span>{' '}
        {status === 'suspended' && <Tag color="warning">Suspended</Tag>}{' '}
        {isLow(budget - held) && <Tag color="warning">Low credit</Tag>}
      </>
    ),
  },
  amount('spent', 'Spent'),
  amount('held', 'Held'),
  amount('budget', 'Budget'),
  amount('runs', 'Runs'),
];

const cost: Column<MemberUsage> = {
  title: 'Money',
  key: 'cost',
  align: 'right',
  render: (_, usage) => (
    <>
      {moneyWords(usage.cost) ?? '–'}
      {usage.costByGroupKeys.length > 0 && (
        <p className="muted">{moneyWords(usage.costByGroupKeys)} of it by the group’s keys</p>
      )}
    </>
  ),
};

/** The credits that each member has and has spent in a group. */
export function GroupUsage({ group, limits }: { group: number; limits: Group | undefined }) {
  const { data, error } = useAll('/api/groups/{groupId}/usage', { params: { path: { groupId: group } } });
  if (data === undefined) {
    return error === undefined ? <Loading /> : <Alert type="error" title="Failed to load the usage" />;
  }
  if (data.length === 0) return <EmptyState title="No members in this group yet." />;
  const sum = (key: Amount) => data.reduce((total, usage) => total + usage[key], 0);
  const { creditCeiling: ceiling, creditsGranted: granted } = limits ?? {};
  return (
    <>
      {ceiling != null && granted != null && (
        <p>
          <strong>{count(granted)}</strong> of at most <strong>{count(ceiling)}</strong> credits are granted:{' '}
          {count(Math.max(0, ceiling - granted))} more can be.
        </p>
      )}
      <p className="muted">
        {count(sum('spent'))} credits spent by {count(sum('runs'))} {sum('runs') === 1 ? 'run' : 'runs'};{' '}
        {count(sum('budget'))} left, of which {count(sum('held'))} are held by runs that go on.
      </p>
      <DataTable
        rows={data}
        rowKey={({ userId }) => userId}
        columns={data.some((usage) => usage.cost.length > 0) ? [...columns, cost] : columns}
        name="members"
        size={50}
      />
    </>
  );
}
