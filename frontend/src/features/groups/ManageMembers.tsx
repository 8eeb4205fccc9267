import { Alert, Tabs } from 'antd';
import { useParams, useSearchParams } from 'react-router';
import { failed, isMissing } from '@/api/client';
import { useAll, useGet } from '@/api/hooks';
import { useSession } from '@/api/session';
import { paths } from '@/paths';
import { count } from '@/ui/format';
import { EmptyState, LinkButton, Loading, NotHere, Page, Panel } from '@/ui/Page';
import { GroupRuns } from './GroupRuns';
import { GroupSurveys } from './GroupSurveys';
import { GroupUsage } from './GroupUsage';
import { Members } from './Members';
import { ModelKeys } from './ModelKeys';
import { mayManage } from '@/api/groups';
import './ManageMembers.css';

const TITLE = 'Manage Group Members';

/**
 * The members of a group, their budgets and spending, and their requests. Shows nothing before it is known that the
 * user may manage the group.
 */
export default function ManageMembers() {
  const id = Number(useParams().groupId);
  const user = useSession();
  const group = useGet('/api/groups/{groupId}', { params: { path: { groupId: id } } });
  const members = useAll('/api/groups/{groupId}/members', { params: { path: { groupId: id } } });
  // In the address, so that a link leads to the runs.
  const [query, setQuery] = useSearchParams();

  const total = (members.data ?? []).reduce((sum, member) => sum + Number(member.budget), 0);

  const groups =
    user?.role === 'super_admin'
      ? { label: 'Groups', to: paths.groups }
      : { label: 'My Groups', to: paths.myGroups };
  if (isMissing(group.error)) {
    return (
      <NotHere title="Group Not Found" back={<LinkButton to={groups.to}>View {groups.label}</LinkButton>}>
        There is no group at this address, or you are not in it.
      </NotHere>
    );
  }
  if (group.data !== undefined && !mayManage(user, group.data)) {
    return (
      <Page title={TITLE} subtitle={group.data.groupName}>
        <EmptyState
          title="Only the group's owner manages its members"
          action={<LinkButton to={paths.myGroups}>View My Groups</LinkButton>}
        >
          Ask {group.data.ownerEmail} for a budget, or to invite somebody.
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page
      trail={[groups, group.data === undefined ? null : { label: group.data.groupName }]}
      title={TITLE}
      subtitle={group.data?.groupName}
      actions={
        <p className="total-budget">
          Total Budget <strong>{members.data === undefined ? '–' : count(total)}</strong>
        </p>
      }
    >
      {group.error !== undefined && (
        <Alert type="error" title={failed('Failed to load group information', group.error)} />
      )}
      {members.error !== undefined && (
        <Alert type="error" title={failed('Failed to load members', members.error)} />
      )}
      {group.isLoading && <Loading text="Loading members..." />}
      {group.data !== undefined && (
        <Tabs
          activeKey={query.get('tab') ?? 'members'}
          onChange={(tab) => setQuery(tab === 'members' ? {} : { tab }, { replace: true })}
          destroyOnHidden
          items={[
            {
              key: 'members',
              label: 'Members',
              children: (
                <Members
                  group={id}
                  members={members.data}
                  failed={members.error !== undefined}
                  initialBudget={group.data.initialBudgetPerUser}
                  onChange={members.mutate}
                />
              ),
            },
            {
              key: 'surveys',
              label: 'Surveys',
              children: (
                <Panel>
                  <GroupSurveys group={id} />
                </Panel>
              ),
            },
            {
              key: 'runs',
              label: 'Runs',
              children: (
                <Panel>
                  <GroupRuns group={id} />
                </Panel>
              ),
            },
            {
              key: 'keys',
              label: 'Model keys',
              children: <ModelKeys group={id} />,
            },
            {
              key: 'usage',
              label: 'Usage',
              children: (
                <Panel>
                  <GroupUsage group={id} limits={group.data} />
                </Panel>
              ),
            },
          ]}
        />
      )}
    </Page>
  );
}
