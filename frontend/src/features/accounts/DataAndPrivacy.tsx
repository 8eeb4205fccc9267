import { useState } from 'react';
import { App, Button } from 'antd';
import { api, messageOf } from '@/api/client';
import { saveFile } from '@/api/saveFile';
import { DeleteAccount } from './DeleteAccount';

export function DataAndPrivacy() {
  const { message } = App.useApp();
  const [downloading, setDownloading] = useState(false);
  const [asking, setAsking] = useState(false);

  const download = async () => {
    setDownloading(true);
    try {
      const data = await api.get('/api/auth/data');
      const text = JSON.stringify(data, null, 2);
      saveFile(new Blob([text], { type: 'application/json' }), 'digital-twin-lab-my-data.json');
    } catch (error) {
      void message.error(messageOf(error, 'Failed to download your data'));
    } finally {
      setDownloading(false);
    }
  };
  return (
    <div className="data-choices stack gap-5">
      <div>
        <p className="muted">Everything that the platform holds about you, as one JSON file.</p>
        <Button loading={downloading} disabled={downloading} onClick={() => void download()}>
          Download My Data
        </Button>
      </div>
      <div>
        <p className="muted">
          You are signed out at once, and your personal data is removed within 30 days. This cannot be undone.
        </p>
        <Button type="primary" danger onClick={() => setAsking(true)}>
          Delete Account
        </Button>
      </div>
      {asking && <DeleteAccount onClose={() => setAsking(false)} />}
    </div>
  );
}
