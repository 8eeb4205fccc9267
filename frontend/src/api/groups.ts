import type { Session } from './session';
import type { Group } from './types';

export function owns(user: Session | null, group: Group): boolean {
  return group.isOwner || group.ownerEmail === user?.email;
}

/** Members are the owner's business, and the super admins'. */
export function mayManage(user: Session | null, group: Group): boolean {
  return user?.role === 'super_admin' || owns(user, group);
}

/** Whether the group is open and the user is its active member. */
export const takesSurveys = ({ status, available }: Group) => status === 'open' && available != null;
