import { Navigate } from 'react-router';
import { homeOf, paths } from '@/paths';
import { session } from '@/api/session';
import { Loading } from './Loading';

/** What guards show while they send someone on: to `to`, else to the role's home, else to sign in. */
export function RedirectScreen({ to }: { to?: string }) {
  const user = session();
  return (
    <main>
      <Loading text="Redirecting..." />
      <Navigate to={to ?? (user === null ? paths.login : homeOf(user.role))} replace />
    </main>
  );
}
