import { useState } from 'react';
import { App, Button, Tooltip } from 'antd';
import { api, failed } from '@/api/client';
import { saveFile } from '@/api/saveFile';
import { shortId } from '@/runs/display';

/** All runs of a study with what their files are built from, as one zip. */
export function StudyBundle({ studyId }: { studyId: string }) {
  const { message } = App.useApp();
  const [downloading, setDownloading] = useState(false);
  const download = async () => {
    setDownloading(true);
    try {
      const params = { path: { studyId } };
      const zip = await api.get('/api/studies/{studyId}/bundle', { params, parseAs: 'blob' });
      saveFile(zip, `study-${shortId(studyId)}-bundle.zip`);
    } catch (failure) {
      void message.error(failed('Failed to download bundle', failure));
    }
    setDownloading(false);
  };
  return (
    <Tooltip title="All runs in one zip that twinlab replay rebuilds, to prove their tables">
      <Button loading={downloading} onClick={() => void download()}>
        Bundle
      </Button>
    </Tooltip>
  );
}
