import { useState } from 'react';
import { Input } from 'antd';
import { api, messageOf } from '@/api/client';
import { signOut, useSession } from '@/api/session';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/antd/Dialog';
import { DialogButtons } from '@/ui/DialogButtons';
import { saveFile } from '@/ui/saveFile';
import { toast } from '@/ui/toasts';

export function DataAndPrivacy() {
  const user = useSession();
  const [downloading, setDownloading] = useState(false);
  const [asking, setAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const [deleting, setDeleting] = useState(false);

  const download = async () => {
    setDownloading(true);
    try {
      const data = await api.get('/api/auth/data');
      const text = JSON.stringify(data, null, 2);
      saveFile(new Blob([text], { type: 'application/json' }), 'digital-twin-lab-my-data.json');
    } catch (error) {
      toast('error', messageOf(error, 'Failed to download your data'));
    } finally {
      setDownloading(false);
    }
  };
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
    <div className="data-choices">
      <div>
        <p>Everything that the platform holds about you, as one JSON file.</p>
        <Button variant="outline" loading={downloading} onClick={() => void download()}>
          Download My Data
        </Button>
      </div>
      <div>
        <p>
          You are signed out at once, and your personal data is removed within 30 days. This cannot be undone.
        </p>
        <Button variant="danger" onClick={() => setAsking(true)}>
          Delete Account
        </Button>
      </div>
      {asking && (
        <Dialog title="Delete Account" onClose={() => setAsking(false)} locked={deleting} size="sm">
          <label htmlFor="confirm-delete">
            To confirm, type your e-mail address, <strong>{user?.email}</strong>:
          </label>
          <Input id="confirm-delete" value={typed} onChange={(event) => setTyped(event.target.value)} />
          <DialogButtons
            onCancel={() => setAsking(false)}
            onSubmit={() => void remove()}
            busy={deleting}
            disabled={typed.trim() !== user?.email}
            danger
          >
            Delete Account
          </DialogButtons>
        </Dialog>
      )}
    </div>
  );
}
