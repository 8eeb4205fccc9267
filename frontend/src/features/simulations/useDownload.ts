import { useGet } from '@/api/hooks';
import type { Simulation } from '@/api/types';
import { download } from './download';

/** Downloads a run's responses in the format of the user's settings; as CSV until they are known. */
export function useDownload(): (run: Simulation) => Promise<void> {
  const settings = useGet('/api/auth/settings', {}, { revalidateOnFocus: false, shouldRetryOnError: false });
  return (run) => download(run, settings.data?.exportFormat ?? 'csv');
}
