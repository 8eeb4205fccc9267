import type { Group } from '@/api/types';
import { Badge } from '@/ui/Badge';
import type { Column } from '@/ui/DataTable';
import { date } from '@/ui/format';

// The columns that every table of groups is made of.

export const nameColumn: Column<Group> = {
  title: 'Group Name',
  key: 'name',
  untitled: true,
  render: ({ groupName }) => <strong>{groupName}</strong>,
};

/** `open` is shown as active, everything else as inactive. */
export const statusColumn: Column<Group> = {
  title: 'Status',
  key: 'status',
  render: ({ status }) => (
    <Badge tone={status === 'open' ? 'good' : 'plain'}>{status === 'open' ? 'active' : 'inactive'}</Badge>
  ),
};

export const createdColumn: Column<Group> = {
  title: 'Created',
  key: 'created',
  render: ({ createdAt }) => <time dateTime={createdAt}>{date(createdAt)}</time>,
};
