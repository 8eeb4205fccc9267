import { lazy, Suspense, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useAll } from '@/api/hooks';
import type { Group } from '@/api/types';
import { paths } from '@/paths';
import { Banner } from '@/ui/Banner';
import { Button, LinkButton } from '@/ui/Button';
import { DataTable, type Column } from '@/ui/DataTable';
import { Loading } from '@/ui/Loading';
import { EmptyState, Page, Panel } from '@/ui/Page';
import { createdColumn, nameColumn, statusColumn } from './columns';

const CreateGroup = lazy(() => import('./CreateGroup'));
const EditGroup = lazy(() => import('./EditGroup'));

/** All groups of the platform, for super admins. */
export default function Groups() {
  const { data: groups, error } = useAll('/api/groups', {});
  // In the address, so that other pages lead straight to the form.
  const [query, setQuery] = useSearchParams();
  const creating = query.has('create');
  const setCreating = (open: boolean) => setQuery(open ? { create: '' } : {}, { replace: true });
  const [edited, setEdited] = useState<Group | null>(null);

  const columns: Column<Group>[] = [
    nameColumn,
    { title: 'Owner', key: 'owner', render: ({ ownerEmail }) => ownerEmail },
    statusColumn,
    createdColumn,
    {
      title: 'Actions',
      key: 'actions',
      untitled: true,
      render: (group) => (
        <div className="row-actions">
          <LinkButton to={paths.manageMembers(group.id)} size="sm" variant="secondary">
            Manage Members
          </LinkButton>
          <Button size="sm" variant="outline" onClick={() => setEdited(group)}>
            Edit Group
          </Button>
        </div>
      ),
    },
  ];

  return (
    <Page
      title="Research Groups"
      subtitle="Every group, its owner and its members."
      actions={
        <>
          <LinkButton to={paths.admin} variant="outline">
            Administration
          </LinkButton>
          <Button onClick={() => setCreating(true)}>Add Group</Button>
        </>
      }
    >
      <Panel title="All Groups">
        {error !== undefined && <Banner type="error">Failed to load groups</Banner>}
        {groups === undefined && error === undefined && <Loading />}
        {groups?.length === 0 && (
          <EmptyState
            title="No Groups Yet"
            action={<Button onClick={() => setCreating(true)}>Create Your First Group</Button>}
          >
            A group has an owner, members, and a budget of credits for each of them.
          </EmptyState>
        )}
        {groups !== undefined && groups.length > 0 && (
          <DataTable rows={groups} keyOf={({ id }) => id} columns={columns} name="groups" />
        )}
      </Panel>
      <Suspense>
        {creating && <CreateGroup onClose={() => setCreating(false)} />}
        {edited !== null && <EditGroup group={edited} onClose={() => setEdited(null)} />}
      </Suspense>
    </Page>
  );
}
