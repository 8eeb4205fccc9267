import type { Group } from '@/api/types';
import { Badge } from '@/ui/Badge';

/** `open` is shown as active, everything else as inactive. */
export function GroupStatus({ group }: { group: Group }) {
  const active = group.status === 'open';
  return <Badge tone={active ? 'good' : 'plain'}>{active ? 'active' : 'inactive'}</Badge>;
}
