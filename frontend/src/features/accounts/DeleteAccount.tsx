import { useState } from 'react';
import { App, Input } from 'antd';
import { api, messageOf } from '@/api/client';
import { signOut, useSession } from '@/api/session';
import { Dialog } from '@/ui/Dialog';

/** The address typed out, so that it cannot happen by a slip. */
export function DeleteAccount({ onClose }: { onClose: () => void }) {
  const { message } = App.useApp();
  const user = useSession();
  const [typed, setTyped] = useState('');
  const [deleting, setDeleting] = useState(false);

  const remove = async () => {
    setDeleting(true);
    try {
      await api.delete('/api/auth/account');
      signOut('Your account is closed. Your personal data will be removed within 30 days.');
    } catch (error) {
      void message.error(messageOf(error, 'Failed to delete your account'));
      setDeleting(false);
    }
  };
  return (
    <Dialog
      title="Delete Account"
      onClose={onClose}
      busy={deleting}
      size="sm"
      action={{
        text: 'Delete Account',
        danger: true,
        disabled: typed.trim() !== user?.email,
        onClick: () => void remove(),
      }}
    >
      <label htmlFor="confirm-delete">
        To confirm, type your e-mail address, <strong>{user?.email}</strong>:
      </label>
      <Input id="confirm-delete" value={typed} onChange={(event) => setTyped(event.target.value)} />
    </Dialog>
  );
}
