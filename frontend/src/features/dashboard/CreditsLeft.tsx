import type { Group } from '@/api/types';
import { count } from '@/ui/format';

/** What the user may still spend in a group; nothing of it for an owner who is no member. */
export function CreditsLeft({ group }: { group: Group }) {
  return (
    <article className="card">
      <h2>{group.groupName}</h2>
      <p className="card-figure">{group.available == null ? '–' : count(group.available)}</p>
      <p className="muted">{group.available == null ? 'You own this group' : 'credits left'}</p>
    </article>
  );
}
