import { useState } from 'react';
import { App, Button } from 'antd';
import { api, failed } from '@/api/client';
import { signOut } from '@/api/session';

/** Ends every session of the user, this one too. */
export function Sessions() {
  const { message } = App.useApp();
  const [ending, setEnding] = useState(false);
  const end = async () => {
    setEnding(true);
    try {
      await api.post('/api/auth/logout-everywhere');
      signOut('You are signed out everywhere.');
    } catch (error) {
      void message.error(failed('Failed to sign out everywhere', error));
      setEnding(false);
    }
  };
  return (
    <div className="data-choices stack gap-5">
      <div>
        <p className="muted">
          Ends your sessions on all devices, here too. Personal access tokens stay until you revoke them.
        </p>
        <Button loading={ending} disabled={ending} onClick={() => void end()}>
          Sign out everywhere
        </Button>
      </div>
    </div>
  );
}
