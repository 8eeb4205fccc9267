import { lazy, Suspense, useState } from 'react';
import { api, messageOf } from '@/api/client';
import { Button } from '@/ui/Button';
import { saveFile } from '@/ui/saveFile';
import { toast } from '@/ui/toasts';

const DeleteAccount = lazy(() => import('./DeleteAccount'));

export function DataAndPrivacy() {
  const [downloading, setDownloading] = useState(false);
  const [asking, setAsking] = useState(false);

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
      <Suspense>{asking && <DeleteAccount onClose={() => setAsking(false)} />}</Suspense>
    </div>
  );
}
