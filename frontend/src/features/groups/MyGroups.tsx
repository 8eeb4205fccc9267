import { useState } from 'react';
import { Alert, Button } from 'antd';
import { useAll } from '@/api/hooks';
import { useSession } from '@/api/session';
import type { Group } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { EmptyState, Loading, Page, Panel } from '@/ui/Page';
import { useOpened } from '@/ui/titleAndAddress';
import { actionsColumn, createdColumn, nameColumn, statusColumn } from './columns';
import { CreateGroup, EditGroup } from './GroupForms';
import { owns } from '@/api/groups';

/** The groups that one belongs to; admins see those that they own apart. */
export default function MyGroups() {
  const user = useSession();
  const { data: groups, error } = useAll('/api/groups/my', {});
  const [creating, setCreating] = useOpened('create');
  const [edited, setEdited] = useState<Group | null>(null);
  const isAdmin = user?.role === 'admin';
  const owned = groups?.filter((group) => owns(user, group)) ?? [];
  const joined = groups?.filter((group) => !owns(user, group)) ?? [];

  return (
    <Page
      title="My Groups"
      subtitle={`The research groups that you belong to${isAdmin ? ' (Admin View)' : ''}`}
      actions={
        isAdmin && (
          <Button type="primary" onClick={() => setCreating('')}>
            Create Group
          </Button>
        )
      }
    >
      {error !== undefined && <Alert type="error" title="Failed to load groups" />}
      {groups === undefined && error === undefined && <Loading />}
      {groups?.length === 0 && (
        <EmptyState title="No Groups Yet">
          {isAdmin
            ? 'Contact a super admin to be added to groups.'
            : 'Once somebody adds you to a group, it shows here together with your budget.'}
        </EmptyState>
      )}
      {groups !== undefined && groups.length > 0 && !isAdmin && (
        <Panel>
          <GroupTable groups={groups} columns={[nameColumn, admin, statusColumn, createdColumn]} />
        </Panel>
      )}
      {groups !== undefined && groups.length > 0 && isAdmin && (
        <>
          <Panel title="Groups You Own">
            <GroupTable
              groups={owned}
              columns={[nameColumn, statusColumn, createdColumn, actionsColumn(setEdited)]}
            />
          </Panel>
          <Panel title="Groups You're a Member Of">
            <GroupTable groups={joined} columns={[nameColumn, admin, statusColumn, createdColumn]} />
          </Panel>
        </>
      )}
      {isAdmin && creating !== null && <CreateGroup onClose={() => setCreating(null)} />}
      {edited !== null && <EditGroup group={edited} onClose={() => setEdited(null)} />}
    </Page>
  );
}

type GroupColumn = Column<Group>;
const admin: GroupColumn = { title: 'Admin', key: 'admin', render: (_, { ownerEmail }) => ownerEmail };

function GroupTable({ groups, columns }: { groups: Group[]; columns: GroupColumn[] }) {
  return <DataTable rows={groups} rowKey={({ id }) => id} columns={columns} name="groups" empty="None" />;
}
