import type { ReactNode } from 'react';
import { useSession } from '@/api/session';
import type { Role } from '@/api/types';
import { RedirectScreen } from './RedirectScreen';

/** Shows its children to these roles and sends the others elsewhere. */
export function Only({
  roles,
  otherwise,
  children,
}: {
  roles: readonly Role[];
  otherwise: string;
  children: ReactNode;
}) {
  const user = useSession();
  if (user === null) return <RedirectScreen />;
  return roles.includes(user.role) ? children : <RedirectScreen to={otherwise} />;
}
