import { Tag } from 'antd';
import type { Group } from '@/api/types';
import type { Column } from '@/ui/DataTable';
import { date } from '@/ui/format';

// The columns that every table of groups is made of.

export const nameColumn: Column<Group> = {
  title: 'Group Name',
  key: 'name',
  untitled: true,
  render: (_, { groupName }) => <strong>{groupName}</strong>,
};

/** `open` is shown as active, everything else as inactive. */
export const statusColumn: Column<Group> = {
  title: 'Status',
  key: 'status',
  render: (_, { status }) => (
    <Tag color={status === 'open' ? 'success' : 'default'}>{status === 'open' ? 'active' : 'inactive'}</Tag>
  ),
};

export const createdColumn: Column<Group> = {
  title: 'Created',
  key: 'created',
  render: (_, { createdAt }) => <time dateTime={createdAt}>{date(createdAt)}</time>,
};
