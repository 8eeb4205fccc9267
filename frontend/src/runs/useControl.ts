import { useAll } from '@/api/hooks';
import { useSession } from '@/api/session';
import type { Simulation } from '@/api/types';

/** Whether the user may pause, stop and retry a run: their own, one in a group that they own, any for a super admin. */
export function useControl(run: Simulation | undefined): boolean {
  const user = useSession();
  const own = run?.userId === user?.id || user?.role === 'super_admin';
  const { data: groups } = useAll(run === undefined || own ? null : '/api/groups/my', {});
  return own || (groups?.some(({ id, isOwner }) => isOwner && id === run?.groupId) ?? false);
}
