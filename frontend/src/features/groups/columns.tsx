import { Button, Tag } from 'antd';
import type { Group } from '@/api/types';
import { paths } from '@/paths';
import type { Column } from '@/ui/DataTable';
import { date } from '@/ui/format';
import { LinkButton } from '@/ui/Page';

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

/** Its members, and a button that edits it. */
export const actionsColumn = (onEdit: (group: Group) => void): Column<Group> => ({
  title: 'Actions',
  key: 'actions',
  untitled: true,
  render: (_, group) => (
    <div className="row-actions">
      <LinkButton to={paths.manageMembers(group.id)} size="small" color="primary" variant="filled">
        Manage Members
      </LinkButton>
      <Button size="small" onClick={() => onEdit(group)}>
        Edit Group
      </Button>
    </div>
  ),
});
