import { useEffect, type ReactNode } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { arriveAtSignIn, hasLeft, session, useSession, useSessionEnded } from '@/api/session';
import type { Role } from '@/api/types';
import { homeOf, paths, signInFor } from '@/paths';

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

/** Wraps every page: leads to the sign-in once the server has ended the session, from public pages, too. */
export function SessionGuard() {
  const ended = useSessionEnded();
  const signingIn = useLocation().pathname === paths.login;
  useEffect(() => {
    if (signingIn) arriveAtSignIn();
  }, [signingIn]);
  return ended && !signingIn ? <RedirectScreen /> : <Outlet />;
}

/**
 * Screen of a guard that redirects: to `to`, or to the role's home. Visitors are sent to sign in, and return here
 * afterwards.
 */
export function RedirectScreen({ to }: { to?: string }) {
  const user = session();
  const { pathname, search, hash } = useLocation();
  const signIn = hasLeft() ? paths.login : signInFor(pathname + search + hash);
  return (
    <main className="opening">
      <p role="status">Redirecting...</p>
      <Navigate to={user === null ? signIn : (to ?? homeOf(user.role))} replace />
    </main>
  );
}
