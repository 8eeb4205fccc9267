import { useState } from 'react';
import { App, Table, type TableColumnsType } from 'antd';
import { api, messageOf } from '@/api/client';
import type { GroupMember } from '@/api/types';
import { Badge } from '@/ui/Badge';
import { Button } from '@/ui/Button';
import { count } from '@/ui/format';
import { Loading } from '@/ui/Loading';
import { EmptyState } from '@/ui/Page';
import { EditBudget } from './EditBudget';

interface MemberTableProps {
  group: number;
  members: GroupMember[] | undefined;
  failed: boolean;
  selected: ReadonlySet<number>;
  onSelect: (userIds: number[]) => void;
  onDone: (message: string) => Promise<void>;
}

export function MemberTable({ group, members, failed, selected, onSelect, onDone }: MemberTableProps) {
  const { modal } = App.useApp();
  const [edited, setEdited] = useState<number | null>(null);
  const [busy, setBusy] = useState<number | null>(null);

  if (members === undefined) return failed ? null : <Loading text="Loading members..." />;
  if (members.length === 0) {
    return (
      <EmptyState title="No members in this group yet.">Add your first member to get started.</EmptyState>
    );
  }

  const attempt = async (member: GroupMember, task: () => Promise<unknown>, done: string, failed: string) => {
    setBusy(member.userId);
    try {
      await task();
      await onDone(done);
    } catch (error) {
      await onDone(messageOf(error, failed));
    } finally {
      setBusy(null);
    }
  };
  const remove = async (member: GroupMember) => {
    const sure = await modal.confirm({
      title: 'Remove Member',
      content: `Remove ${member.user.email} from this group? The rest of the budget goes with them.`,
      okText: 'Remove Member',
      okButtonProps: { danger: true },
    });
    if (!sure) return;
    const path = { groupId: group, userId: member.userId };
    await attempt(
      member,
      () => api.delete('/api/groups/{groupId}/members/{userId}', { path }),
      'Member removed successfully!',
      'Failed to remove user',
    );
  };
  const suspend = (member: GroupMember) => {
    const status = member.status === 'active' ? 'suspended' : 'active';
    const path = { groupId: group, userId: member.userId };
    return attempt(
      member,
      () => api.patch('/api/groups/{groupId}/members/{userId}/status', { path, body: { status } }),
      status === 'active' ? 'Member reinstated successfully!' : 'Member suspended successfully!',
      'Failed to update member',
    );
  };

  const columns: TableColumnsType<GroupMember> = [
    {
      title: 'Member',
      key: 'member',
      render: (_, { user, status }) => (
        <>
          {user.email} {status === 'suspended' && <Badge tone="warn">Suspended</Badge>}
        </>
      ),
    },
    {
      title: 'Budget',
      key: 'budget',
      align: 'right',
      render: (_, member) =>
        edited === member.userId ? (
          <EditBudget group={group} member={member} onClose={() => setEdited(null)} onDone={onDone} />
        ) : (
          count(member.budget)
        ),
    },
    {
      title: 'Actions',
      key: 'actions',
      render: (_, member) => (
        <div className="row-actions">
          <Button
            size="sm"
            variant="outline"
            disabled={edited !== null}
            onClick={() => setEdited(member.userId)}
          >
            Edit Budget
          </Button>
          <Button
            size="sm"
            variant="ghost"
            disabled={busy === member.userId}
            onClick={() => void suspend(member)}
          >
            {member.status === 'active' ? 'Suspend' : 'Reinstate'}
          </Button>
          <Button
            size="sm"
            variant="ghost"
            loading={busy === member.userId}
            loadingText="Remove Member"
            onClick={() => void remove(member)}
          >
            Remove Member
          </Button>
        </div>
      ),
    },
  ];
  // Scrolled by a box around it: antd's own way repeats the checkbox of the head where it cannot be seen.
  return (
    <div className="member-table">
      <Table
        rowKey="userId"
        columns={columns}
        dataSource={members}
        pagination={{ pageSize: 50, hideOnSinglePage: true }}
        rowSelection={{
          selectedRowKeys: [...selected],
          onChange: (keys) => onSelect(keys.map(Number)),
          getCheckboxProps: ({ user }) => ({ 'aria-label': `Select ${user.email}` }),
          getTitleCheckboxProps: () => ({ 'aria-label': 'Select all members' }),
        }}
      />
    </div>
  );
}
