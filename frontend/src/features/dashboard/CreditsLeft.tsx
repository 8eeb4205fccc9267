import { useGet } from '@/api/hooks';
import { useSession } from '@/api/session';
import type { Group } from '@/api/types';
import { count } from '@/ui/format';

/** What the user may still spend in a group. */
export function CreditsLeft({ group }: { group: Group }) {
  const user = useSession();
  const { data: members } = useGet('/api/groups/{id}/members', {
    path: { id: group.id },
    query: { limit: 500 },
  });
  const mine = members?.find((member) => member.user.email === user?.email);
  return (
    <article className="card">
      <h2>{group.groupName}</h2>
      <p className="card-figure">{mine === undefined ? '–' : count(mine.available)}</p>
      <p className="muted">
        credits left
        {mine !== undefined && mine.held > 0 && `, ${count(mine.held)} more set aside by active runs`}
      </p>
    </article>
  );
}
