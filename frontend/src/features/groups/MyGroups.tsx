import { lazy, Suspense, useState } from 'react';
import { useAll } from '@/api/hooks';
import { useSession } from '@/api/session';
import type { Group } from '@/api/types';
import { paths } from '@/paths';
import { Banner } from '@/ui/Banner';
import { Button, LinkButton } from '@/ui/Button';
import { DataTable, type Column } from '@/ui/DataTable';
import { Loading } from '@/ui/Loading';
import { EmptyState, Page, Panel } from '@/ui/Page';
import { createdColumn, nameColumn, statusColumn } from './columns';
import { owns } from './owner';

const CreateGroup = lazy(() => import('./CreateGroup'));

/** The groups that one belongs to; admins see those that they own apart. */
export default function MyGroups() {
  const user = useSession();
  const { data: groups, error } = useAll('/api/groups/my', {});
  const [creating, setCreating] = useState(false);
  const isAdmin = user?.role === 'admin';
  const owned = groups?.filter((group) => owns(user, group)) ?? [];
  const joined = groups?.filter((group) => !owns(user, group)) ?? [];

  return (
    <Page
      title="My Groups"
      subtitle={`The research groups that you belong to${isAdmin ? ' (Admin View)' : ''}`}
      actions={isAdmin && <Button onClick={() => setCreating(true)}>Create Group</Button>}
    >
      {error !== undefined && <Banner type="error">Failed to load groups</Banner>}
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
            <GroupTable groups={owned} columns={[nameColumn, statusColumn, createdColumn, manage]} />
          </Panel>
          <Panel title="Groups You're a Member Of">
            <GroupTable groups={joined} columns={[nameColumn, admin, statusColumn, createdColumn]} />
          </Panel>
        </>
      )}
      <Suspense>{creating && <CreateGroup onClose={() => setCreating(false)} />}</Suspense>
    </Page>
  );
}

type GroupColumn = Column<Group>;
const admin: GroupColumn = { title: 'Admin', key: 'admin', render: ({ ownerEmail }) => ownerEmail };
const manage: GroupColumn = {
  title: 'Actions',
  key: 'actions',
  untitled: true,
  render: (group) => (
    <LinkButton to={paths.manageMembers(group.id)} size="sm" variant="secondary">
      Manage Members
    </LinkButton>
  ),
};

function GroupTable({ groups, columns }: { groups: Group[]; columns: GroupColumn[] }) {
  return <DataTable rows={groups} keyOf={({ id }) => id} columns={columns} name="groups" empty="None" />;
}
