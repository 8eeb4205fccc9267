import { useState } from 'react';
import { Alert, Button } from 'antd';
import { useAll } from '@/api/hooks';
import type { Group } from '@/api/types';
import { paths } from '@/paths';
import { DataTable, type Column } from '@/ui/DataTable';
import { EmptyState, LinkButton, Loading, Page, Panel } from '@/ui/Page';
import { useOpened } from '@/ui/titleAndAddress';
import { actionsColumn, createdColumn, nameColumn, statusColumn } from './columns';
import { CreateGroup, EditGroup } from './GroupForms';

/** All groups of the platform, for super admins. */
export default function Groups() {
  const { data: groups, error } = useAll('/api/groups', {});
  const [creating, setCreating] = useOpened('create');
  const [edited, setEdited] = useState<Group | null>(null);

  const columns: Column<Group>[] = [
    nameColumn,
    { title: 'Owner', key: 'owner', render: (_, { ownerEmail }) => ownerEmail },
    statusColumn,
    createdColumn,
    actionsColumn(setEdited),
  ];

  return (
    <Page
      title="Research Groups"
      subtitle="Every group, its owner and its members."
      actions={
        <>
          <LinkButton to={paths.admin}>Administration</LinkButton>
          <Button type="primary" onClick={() => setCreating('')}>
            Add Group
          </Button>
        </>
      }
    >
      <Panel title="All Groups">
        {error !== undefined && <Alert type="error" title="Failed to load groups" />}
        {groups === undefined && error === undefined && <Loading />}
        {groups?.length === 0 && (
          <EmptyState
            title="No Groups Yet"
            action={
              <Button type="primary" onClick={() => setCreating('')}>
                Create Your First Group
              </Button>
            }
          >
            A group has an owner, members, and a budget of credits for each of them.
          </EmptyState>
        )}
        {groups !== undefined && groups.length > 0 && (
          <DataTable rows={groups} rowKey={({ id }) => id} columns={columns} name="groups" />
        )}
      </Panel>
      {creating !== null && <CreateGroup onClose={() => setCreating(null)} />}
      {edited !== null && <EditGroup group={edited} onClose={() => setEdited(null)} />}
    </Page>
  );
}
