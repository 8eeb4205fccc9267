import { useEffect, useState } from 'react';
import { Outlet, useLocation } from 'react-router';
import { SWRConfig, type SWRConfiguration } from 'swr';
import { ApiError } from '@/api/client';
import { forgetAll } from '@/api/hooks';
import { mayPass } from '@/api/polling';
import { signOut, useSession } from '@/api/session';
import { AntdTheme } from '@/ui/AntdTheme';
import { RedirectScreen } from './guards';
import { paths } from '@/paths';
import { Navigation } from './Navigation';
import '@/ui/app.css';

/** Around every signed-in page. Without a readable token it sends to /login. */
export default function AppLayout() {
  const user = useSession();
  const { pathname } = useLocation();
  const [menuFor, setMenuFor] = useState<string | null>(null);

  useEffect(() => {
    window.scrollTo(0, 0);
  }, [pathname]);
  // What one user saw is nobody else's, however the session ended.
  useEffect(() => () => void forgetAll(), [user?.id]);
  if (user === null) return <RedirectScreen to={paths.login} />;

  return (
    <SWRConfig value={{ onErrorRetry: retryWhenUnreachable, errorRetryCount: 3 }}>
      <AntdTheme>
        <a className="skip-link" href="#content">
          Skip to content
        </a>
        <Navigation
          user={user}
          open={menuFor === pathname}
          onToggle={() => setMenuFor(menuFor === pathname ? null : pathname)}
          onSignOut={() => signOut()}
        />
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </AntdTheme>
    </SWRConfig>
  );
}

/** An answer that says no will say no again: only a server that cannot be reached or broke down is asked anew. */
const retryWhenUnreachable: SWRConfiguration['onErrorRetry'] = (error, _key, config, revalidate, options) => {
  if (error instanceof ApiError && !mayPass(error)) return;
  if (options.retryCount > (config.errorRetryCount ?? 3)) return;
  setTimeout(() => void revalidate(options), 1000 * 2 ** options.retryCount);
};
