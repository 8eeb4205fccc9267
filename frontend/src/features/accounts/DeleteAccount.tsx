import { useState } from 'react';
import { Input } from 'antd';
import { api, messageOf } from '@/api/client';
import { signOut, useSession } from '@/api/session';
import { Dialog } from '@/ui/antd/Dialog';
import { DialogButtons } from '@/ui/DialogButtons';
import { toast } from '@/ui/toasts';

/** The address typed out, so that it cannot happen by a slip. */
export default function DeleteAccount({ onClose }: { onClose: () => void }) {
  const user = useSession();
  const [typed, setTyped] = useState('');
  const [deleting, setDeleting] = useState(false);

  const remove = async () => {
    setDeleting(true);
    try {
      await api.delete('/api/auth/account');
      signOut();
      toast('success', 'Your account is closed. Your personal data will be removed within 30 days.');
    } catch (error) {
      toast('error', messageOf(error, 'Failed to delete your account'));
      setDeleting(false);
    }
  };
  return (
    <Dialog title="Delete Account" onClose={onClose} locked={deleting} size="sm">
      <label htmlFor="confirm-delete">
        To confirm, type your e-mail address, <strong>{user?.email}</strong>:
      </label>
      <Input id="confirm-delete" value={typed} onChange={(event) => setTyped(event.target.value)} />
      <DialogButtons
        onCancel={onClose}
        onSubmit={() => void remove()}
        busy={deleting}
        disabled={typed.trim() !== user?.email}
        danger
      >
        Delete Account
      </DialogButtons>
    </Dialog>
  );
}
