import { useState } from 'react';
import { Alert } from 'antd';
import { useParams } from 'react-router';
import { useAll, useGet } from '@/api/hooks';
import { useSession } from '@/api/session';
import { paths } from '@/paths';
import { count } from '@/ui/format';
import { EmptyState, LinkButton, Page, Panel } from '@/ui/Page';
import { AddMember } from './AddMember';
import { BudgetManagement } from './BudgetManagement';
import { MemberTable } from './MemberTable';
import { mayManage } from './owner';
import './ManageMembers.css';

const TITLE = 'Manage Group Members';

/** Who is in a group, and what each of them may spend. */
export default function ManageMembers() {
  const id = Number(useParams().groupId);
  const user = useSession();
  const group = useGet('/api/groups/{groupId}', { params: { path: { groupId: id } } });
  const members = useAll('/api/groups/{groupId}/members', { params: { path: { groupId: id } } });
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [message, setMessage] = useState<string | null>(null);

  const list = members.data ?? [];
  const chosen = list.filter((member) => selected.has(member.userId));
  const total = list.reduce((sum, member) => sum + Number(member.budget), 0);

  const done = async (text: string) => {
    setMessage(text);
    await members.mutate();
  };
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
      title={TITLE}
      subtitle={group.data?.groupName}
      actions={
        <p className="total-budget">
          Total Budget <strong>{members.data === undefined ? '–' : count(total)}</strong>
        </p>
      }
    >
      {group.error !== undefined && <Alert type="error" title="Failed to load group information" />}
      {members.error !== undefined && <Alert type="error" title="Failed to load members" />}
      {message !== null && (
        <Alert type={message.includes('successfully') ? 'success' : 'error'} title={message} />
      )}
      <Panel title="Members Management">
        <div className="member-forms">
          <AddMember group={id} initialBudget={group.data?.initialBudgetPerUser} onDone={done} />
          <BudgetManagement
            group={id}
            members={list}
            chosen={chosen}
            onSelect={(ids) => setSelected(new Set(ids))}
            onDone={done}
          />
        </div>
      </Panel>
      <Panel title={members.data === undefined ? 'Current Members' : `Current Members (${list.length})`}>
        <MemberTable
          group={id}
          members={members.data}
          failed={members.error !== undefined}
          selected={selected}
          onSelect={(ids) => setSelected(new Set(ids))}
          onDone={done}
        />
      </Panel>
    </Page>
  );
}
