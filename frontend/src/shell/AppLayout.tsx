import { useEffect, useState } from 'react';
import { Outlet, useLocation } from 'react-router';
import { Alert } from 'antd';
import { SWRConfig, type SWRConfiguration } from 'swr';
import { ApiError, leave } from '@/api/client';
import { forgetAll } from '@/api/hooks';
import { useOutage } from '@/api/outage';
import { mayPass } from '@/api/polling';
import { useSession } from '@/api/session';
import { AntdTheme } from '@/ui/AntdTheme';
import { RedirectScreen } from './guards';
import { RunWatch } from '@/runs/RunWatch';
import { Keys, type Opened } from './Keys';
import { Navigation } from './Navigation';
import '@/ui/app.css';

/** Around every signed-in page. Without a readable token it sends to /login. */
export default function AppLayout() {
  const user = useSession();
  const { pathname } = useLocation();
  const [menuFor, setMenuFor] = useState<string | null>(null);
  const [opened, setOpened] = useState<Opened>(null);

  useEffect(() => {
    window.scrollTo(0, 0);
  }, [pathname]);
  const signedOut = user === null;
  useEffect(() => {
    if (signedOut) void forgetAll();
  }, [signedOut]);
  if (user === null) return <RedirectScreen />;

  return (
    <SWRConfig value={{ onErrorRetry: askAgain }}>
      <AntdTheme>
        <a className="skip-link" href="#content">
          Skip to content
        </a>
        <Navigation
          user={user}
          open={menuFor === pathname}
          onToggle={() => setMenuFor(menuFor === pathname ? null : pathname)}
          onPalette={() => setOpened('palette')}
          onKeyList={() => setOpened('keys')}
          onSignOut={leave}
        />
        <RunWatch />
        <Keys user={user} opened={opened} onOpen={setOpened} onSignOut={leave} />
        <main id="content" tabIndex={-1}>
          <OutageNotice />
          <Outlet key={user.id} />
        </main>
      </AntdTheme>
    </SWRConfig>
  );
}

/** Says that nothing can be asked at the moment. The page below keeps what it shows. */
function OutageNotice() {
  const why = useOutage();
  if (why === null) return null;
  return (
    <div className="outage">
      <Alert
        type="warning"
        role="status"
        title={why}
        description="What you see and what you are writing stays. This page goes on by itself as soon as it can."
      />
    </div>
  );
}

const LONGEST_WAIT_MS = 10_000;

/** An answer that says no will say no again; a server that cannot be reached or broke down is asked until it answers. */
const askAgain: SWRConfiguration['onErrorRetry'] = (error, _key, _config, revalidate, options) => {
  if (error instanceof ApiError && !mayPass(error)) return;
  setTimeout(() => void revalidate(options), Math.min(1000 * 2 ** options.retryCount, LONGEST_WAIT_MS));
};
