import { useAll } from '@/api/hooks';
import { paths } from '@/paths';
import { Badge } from '@/ui/Badge';
import { Banner } from '@/ui/Banner';
import { LinkButton } from '@/ui/Button';
import { date, dollars } from '@/ui/format';
import { Loading } from '@/ui/Loading';
import { EmptyState, Page } from '@/ui/Page';
import './dashboard.css';

export function GroupCards() {
  const { data: groups, error } = useAll('/api/groups', {});
  return (
    <Page
      title="Dashboard"
      subtitle="Research groups at a glance"
      actions={
        <>
          <LinkButton to={paths.createGroup}>Create Group</LinkButton>
          <LinkButton to={paths.admin} variant="outline">
            Administration
          </LinkButton>
          <LinkButton to={paths.settings} variant="outline">
            Settings
          </LinkButton>
        </>
      }
    >
      {error !== undefined && <Banner type="error">Failed to load groups</Banner>}
      {groups === undefined && error === undefined && <Loading />}
      {groups?.length === 0 && <EmptyState title="No Groups Yet" />}
      <div className="cards">
        {groups?.map((group) => (
          <article key={group.id} className="card">
            <header>
              <h2>{group.groupName}</h2>
              <Badge tone={group.status === 'open' ? 'good' : 'plain'}>
                {group.status === 'open' ? 'active' : 'inactive'}
              </Badge>
            </header>
            <dl>
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
            <LinkButton to={paths.manageMembers(group.id)} size="sm" variant="secondary">
              Manage Members
            </LinkButton>
          </article>
        ))}
      </div>
    </Page>
  );
}
