import { useState } from 'react';
import { useParams } from 'react-router';
import { useAll, useGet } from '@/api/hooks';
import { Banner } from '@/ui/Banner';
import { count } from '@/ui/format';
import { Page, Panel } from '@/ui/Page';
import { AddMember } from './AddMember';
import { BudgetManagement } from './BudgetManagement';
import { MemberTable } from './MemberTable';
import './ManageMembers.css';

/** Who is in a group, and what each of them may spend. */
export default function ManageMembers() {
  const id = Number(useParams().groupId);
  const group = useGet('/api/groups/{groupId}', { path: { groupId: id } });
  const members = useAll('/api/groups/{groupId}/members', { path: { groupId: id } });
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [message, setMessage] = useState<string | null>(null);

  const list = members.data ?? [];
  const chosen = list.filter((member) => selected.has(member.userId));
  const total = list.reduce((sum, member) => sum + Number(member.budget), 0);

  const done = async (text: string) => {
    setMessage(text);
    await members.mutate();
  };
  return (
    <Page
      title="Manage Group Members"
      subtitle={group.data?.groupName}
      actions={
        <p className="total-budget">
          Total Budget <strong>{count(total)}</strong>
        </p>
      }
    >
      {group.error !== undefined && <Banner type="error">Failed to load group information</Banner>}
      {members.error !== undefined && <Banner type="error">Failed to load members</Banner>}
      {message !== null && (
        <Banner type={message.includes('successfully') ? 'success' : 'error'}>{message}</Banner>
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
      <Panel title={`Current Members (${list.length})`}>
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
