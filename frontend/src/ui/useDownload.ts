import { useState } from 'react';
import { App } from 'antd';
import { failed } from '@/api/client';
import { NothingToExport } from '@/api/saveFile';

/** Runs one download at a time. A failure shows a sentence with the server's reason. */
export function useDownload() {
  const { message } = App.useApp();
  const [isDownloading, setIsDownloading] = useState(false);
  /** Resolves to whether `save` succeeded. */
  const download = async (save: () => Promise<unknown>, failure: string): Promise<boolean> => {
    setIsDownloading(true);
    try {
      await save();
      return true;
    } catch (error) {
      void message.error(error instanceof NothingToExport ? error.message : failed(failure, error));
      return false;
    } finally {
      setIsDownloading(false);
    }
  };
  return { isDownloading, download };
}
