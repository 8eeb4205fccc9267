import type { ReactNode } from 'react';
import { Navigate } from 'react-router';
import { session, useSession } from '@/api/session';
import type { Role } from '@/api/types';
import { homeOf, paths } from '@/paths';

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

/** What guards show while they send someone on: to `to`, else to the role's home, else to sign in. */
export function RedirectScreen({ to }: { to?: string }) {
  const user = session();
  return (
    <main className="opening">
      <p role="status">Redirecting...</p>
      <Navigate to={to ?? (user === null ? paths.login : homeOf(user.role))} replace />
    </main>
  );
}
