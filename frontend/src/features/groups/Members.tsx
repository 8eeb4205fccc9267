import { useState } from 'react';
import { Alert, Button, Input } from 'antd';
import type { GroupMember } from '@/api/types';
import { Panel } from '@/ui/Page';
import { useAddress } from '@/ui/titleAndAddress';
import { AddClass } from './AddClass';
import { AddMember } from './AddMember';
import { BudgetManagement } from './BudgetManagement';
import { MemberTable } from './MemberTable';

/** The members of a group: adds them, finds them, gives them credits. */
export function Members({
  group,
  members,
  failed,
  initialBudget,
  onChange,
}: {
  group: number;
  members: GroupMember[] | undefined;
  failed: boolean;
  /** The group's default for new members, once known. */
  initialBudget: number | undefined;
  onChange: () => Promise<unknown>;
}) {
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [message, setMessage] = useState<string | null>(null);
  const [address, change] = useAddress();
  // Kept here, too: the address follows later than the letters.
  const [search, setSearch] = useState(address.get('q') ?? '');
  const find = (q: string) => {
    setSearch(q);
    change({ q, page: null });
  };
  /** The text in the dialog of a class list, while it is open. */
  const [pasted, setPasted] = useState<string | null>(null);
  const list = members ?? [];
  const chosen = list.filter((member) => selected.has(member.userId));
  const wanted = search.trim().toLowerCase();
  const shown = members?.filter(({ user }) =>
    `${user.name ?? ''} ${user.email}`.toLowerCase().includes(wanted),
  );
  const select = (ids: number[]) => setSelected(new Set(ids));
  const done = async (text: string) => {
    setMessage(text);
    await onChange();
  };
  return (
    <div className="stack gap-5">
      {message !== null && (
        <Alert type={message.includes('successfully') ? 'success' : 'error'} title={message} />
      )}
      <Panel title="Members Management">
        <div className="member-forms stack gap-6">
          <AddMember
            group={group}
            initialBudget={initialBudget}
            onDone={done}
            onRefused={() => setMessage(null)}
            onList={setPasted}
          />
          <BudgetManagement group={group} members={list} chosen={chosen} onSelect={select} onDone={done} />
        </div>
      </Panel>
      <Panel
        title={members === undefined ? 'Current Members' : `Current Members (${list.length})`}
        extra={
          list.length > 1 && (
            <Input
              type="search"
              aria-label="Search members"
              placeholder="Search by name or e-mail..."
              className="member-search"
              value={search}
              onChange={(event) => find(event.target.value)}
            />
          )
        }
      >
        {shown?.length === 0 && list.length > 0 ? (
          <p className="muted" role="status">
            Nobody matches this search.{' '}
            <Button size="small" color="primary" variant="text" onClick={() => find('')}>
              Clear search
            </Button>
          </p>
        ) : (
          <MemberTable
            group={group}
            members={shown}
            failed={failed}
            selected={selected}
            onSelect={select}
            onDone={done}
          />
        )}
      </Panel>
      {pasted !== null && (
        <AddClass
          group={group}
          members={list}
          initialText={pasted}
          initialBudget={initialBudget}
          onClose={() => setPasted(null)}
          onDone={done}
        />
      )}
    </div>
  );
}
