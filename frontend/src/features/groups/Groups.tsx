import { useState } from 'react';
import { Table, type TableColumnsType } from 'antd';
import { useAll } from '@/api/hooks';
import type { Group } from '@/api/types';
import { paths } from '@/paths';
import { Banner } from '@/ui/Banner';
import { Button, LinkButton } from '@/ui/Button';
import { date } from '@/ui/format';
import { Loading } from '@/ui/Loading';
import { EmptyState, Page, Panel } from '@/ui/Page';
import { CreateGroup } from './CreateGroup';
import { EditGroup } from './EditGroup';
import { GroupStatus } from './GroupStatus';

/** All groups of the platform, for super admins. */
export default function Groups() {
  const { data: groups, error } = useAll('/api/groups', {});
  const [creating, setCreating] = useState(false);
  const [edited, setEdited] = useState<Group | null>(null);

  const columns: TableColumnsType<Group> = [
    { title: 'Group Name', dataIndex: 'groupName', key: 'name' },
    { title: 'Owner', dataIndex: 'ownerEmail', key: 'owner' },
    { title: 'Status', key: 'status', render: (_, group) => <GroupStatus group={group} /> },
    { title: 'Created', key: 'created', render: (_, group) => date(group.createdAt) },
    {
      title: 'Actions',
      key: 'actions',
      render: (_, group) => (
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
          <Table rowKey="id" columns={columns} dataSource={groups} pagination={pages} scroll={wide} />
        )}
      </Panel>
      <CreateGroup open={creating} onClose={() => setCreating(false)} />
      {edited !== null && <EditGroup group={edited} onClose={() => setEdited(null)} />}
    </Page>
  );
}

const pages = { pageSize: 20, hideOnSinglePage: true };
/** Narrow windows scroll the table, never the page. */
const wide = { x: 'max-content' } as const;
