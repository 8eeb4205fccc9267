import { Alert, Tag } from 'antd';
import { useAll } from '@/api/hooks';
import { paths } from '@/paths';
import { date, dollars } from '@/ui/format';
import { EmptyState, LinkButton, Loading, Page } from '@/ui/Page';
import './dashboard.css';

export function GroupCards() {
  const { data: groups, error } = useAll('/api/groups', {});
  return (
    <Page
      title="Dashboard"
      subtitle="Research groups at a glance"
      actions={
        <>
          <LinkButton to={paths.createGroup} type="primary">
            Create Group
          </LinkButton>
          <LinkButton to={paths.admin}>Administration</LinkButton>
          <LinkButton to={paths.settings}>Settings</LinkButton>
        </>
      }
    >
      {error !== undefined && <Alert type="error" title="Failed to load groups" />}
      {groups === undefined && error === undefined && <Loading />}
      {groups?.length === 0 && <EmptyState title="No Groups Yet" />}
      <div className="cards stack gap-4">
        {groups?.map((group) => (
          <article key={group.id} className="dashboard-card stack gap-3 card long-word">
            <header className="line gap-3 between">
              <h2>{group.groupName}</h2>
              <Tag color={group.status === 'open' ? 'success' : 'default'}>
                {group.status === 'open' ? 'active' : 'inactive'}
              </Tag>
            </header>
            <dl className="facts">
              <div>
                <dt>Owner</dt>
                <dd>{group.ownerEmail}</dd>
              </div>
              <div>
                <dt>Budget per member</dt>
                <dd>{dollars(group.initialBudgetPerUser)}</dd>
              </div>
              <div>
                <dt>Created</dt>
                <dd>{date(group.createdAt)}</dd>
              </div>
            </dl>
            <LinkButton to={paths.manageMembers(group.id)} size="small" color="primary" variant="filled">
              Manage Members
            </LinkButton>
          </article>
        ))}
      </div>
      {groups !== undefined && groups.length > 0 && <p className="muted">$ = credits</p>}
    </Page>
  );
}
