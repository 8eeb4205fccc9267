import { useState } from 'react';
import { Button, Checkbox, Tag } from 'antd';
import { api, failed } from '@/api/client';
import { isLow } from '@/api/credits';
import { useAll } from '@/api/hooks';
import type { GroupMember } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { ConfirmDialog } from '@/ui/Dialog';
import { count, dateAndTime, relativeDate } from '@/ui/format';
import { EmptyState, Loading } from '@/ui/Page';
import { usePageInAddress } from '@/ui/titleAndAddress';
import { EditBudget } from './EditBudget';

interface MemberTableProps {
  group: number;
  members: GroupMember[] | undefined;
  failed: boolean;
  selected: ReadonlySet<number>;
  onSelect: (userIds: number[]) => void;
  onDone: (message: string) => Promise<void>;
}

export function MemberTable({
  group,
  members,
  failed: notLoaded,
  selected,
  onSelect,
  onDone,
}: MemberTableProps) {
  const page = usePageInAddress();
  const [edited, setEdited] = useState<number | null>(null);
  const [removed, setRemoved] = useState<GroupMember | null>(null);
  const [suspended, setSuspended] = useState<GroupMember | null>(null);
  const [busy, setBusy] = useState<number | null>(null);
  const usage = useAll(members === undefined ? null : '/api/groups/{groupId}/usage', {
    params: { path: { groupId: group } },
  }).data;
  const usageOf = new Map(usage?.map((each) => [each.userId, each]));

  if (members === undefined) return notLoaded ? null : <Loading text="Loading members..." />;
  if (members.length === 0) {
    return (
      <EmptyState title="No members in this group yet.">Add your first member to get started.</EmptyState>
    );
  }

  const attempt = async (
    member: GroupMember,
    task: () => Promise<unknown>,
    done: string,
    failure: string,
  ) => {
    setBusy(member.userId);
    try {
      await task();
      await onDone(done);
    } catch (error) {
      await onDone(failed(failure, error));
    } finally {
      setBusy(null);
    }
  };
  const remove = async (member: GroupMember) => {
    const path = { groupId: group, userId: member.userId };
    await attempt(
      member,
      () => api.delete('/api/groups/{groupId}/members/{userId}', { params: { path } }),
      'Member removed successfully!',
      'Failed to remove user',
    );
  };
  const suspend = (member: GroupMember) => {
    const status = member.status === 'active' ? 'suspended' : 'active';
    const path = { groupId: group, userId: member.userId };
    return attempt(
      member,
      () =>
        api.patch('/api/groups/{groupId}/members/{userId}/status', { params: { path }, body: { status } }),
      status === 'active' ? 'Member reinstated successfully!' : 'Member suspended successfully!',
      'Failed to update member',
    );
  };

  const all = members.every(({ userId }) => selected.has(userId));
  const toggle = (userId: number) =>
    onSelect(selected.has(userId) ? [...selected].filter((id) => id !== userId) : [...selected, userId]);

  const columns: Column<GroupMember>[] = [
    {
      title: (
        <Checkbox
          aria-label="Select all members"
          checked={all}
          onChange={() => onSelect(all ? [] : members.map(({ userId }) => userId))}
        />
      ),
      key: 'selected',
      untitled: true,
      width: '2.5rem',
      render: (_, { userId, user }) => (
        <Checkbox
          aria-label={`Select ${user.email}`}
          checked={selected.has(userId)}
          onChange={() => toggle(userId)}
        />
      ),
    },
    {
      title: 'Member',
      key: 'member',
      untitled: true,
      sorter: (a, b) => a.user.email.localeCompare(b.user.email),
      render: (_, { user, status, available }) => (
        <>
          {user.name != null && <strong>{user.name} </strong>}
          <span className="long-word">{user.email}</span>{' '}
          {status === 'suspended' && <Tag color="warning">Suspended</Tag>}{' '}
          {isLow(available) && <Tag color="warning">Low credit</Tag>}
        </>
      ),
    },
    {
      title: 'Budget',
      key: 'budget',
      align: 'right',
      sorter: (a, b) => a.budget - b.budget,
      render: (_, member) =>
        edited === member.userId ? (
          <EditBudget group={group} member={member} onClose={() => setEdited(null)} onDone={onDone} />
        ) : (
          count(member.budget)
        ),
    },
    {
      title: 'Held',
      key: 'held',
      align: 'right',
      sorter: (a, b) => a.held - b.held,
      render: (_, { held }) => count(held),
    },
    {
      title: 'Spent',
      key: 'spent',
      align: 'right',
      sorter: (a, b) => (usageOf.get(a.userId)?.spent ?? 0) - (usageOf.get(b.userId)?.spent ?? 0),
      render: (_, { userId }) => {
        const spent = usageOf.get(userId)?.spent;
        return spent === undefined ? '–' : count(spent);
      },
    },
    {
      title: 'Last run',
      key: 'last-run',
      sorter: (a, b) =>
        (usageOf.get(a.userId)?.lastRunAt ?? '').localeCompare(usageOf.get(b.userId)?.lastRunAt ?? ''),
      render: (_, { userId }) => {
        const at = usageOf.get(userId)?.lastRunAt;
        return at == null ? (
          '–'
        ) : (
          <time dateTime={at} title={dateAndTime(at)}>
            {relativeDate(at)}
          </time>
        );
      },
    },
    {
      title: 'Actions',
      key: 'actions',
      untitled: true,
      render: (_, member) => (
        <div className="row-actions">
          <Button size="small" disabled={edited !== null} onClick={() => setEdited(member.userId)}>
            Edit Budget
          </Button>
          <Button
            type="text"
            size="small"
            disabled={busy === member.userId}
            onClick={() => (member.status === 'active' ? setSuspended(member) : void suspend(member))}
          >
            {member.status === 'active' ? 'Suspend' : 'Reinstate'}
          </Button>
          <Button
            type="text"
            danger
            size="small"
            disabled={busy === member.userId}
            loading={busy === member.userId && removed !== null}
            onClick={() => setRemoved(member)}
          >
            Remove Member
          </Button>
        </div>
      ),
    },
  ];
  return (
    <div className="member-table">
      <DataTable
        rows={members}
        rowKey={({ userId }) => userId}
        columns={columns}
        name="members"
        size={50}
        turned={page}
      />
      {suspended !== null && (
        <ConfirmDialog
          title="Suspend Member"
          action="Suspend"
          onConfirm={() => suspend(suspended)}
          onClose={() => setSuspended(null)}
        >
          Suspend {suspended.user.email}? They start no more runs in this group until they are reinstated; the
          budget stays.
        </ConfirmDialog>
      )}
      {removed !== null && (
        <ConfirmDialog
          title="Remove Member"
          action="Remove Member"
          onConfirm={() => remove(removed)}
          onClose={() => setRemoved(null)}
        >
          Remove {removed.user.email} from this group? The rest of the budget goes with them.
        </ConfirmDialog>
      )}
    </div>
  );
}
