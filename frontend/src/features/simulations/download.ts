import { App, message as standalone } from 'antd';
import type { MessageInstance } from 'antd/es/message/interface';
import { api, ApiError } from '@/api/client';
import { useGet } from '@/api/hooks';
import { checkTable, NothingToExport, saveFile, saveWorkbook } from '@/api/saveFile';
import type { Simulation } from '@/api/types';
import { shortId } from '@/runs/display';

const EXPORT = '/api/surveys/{surveyId}/simulation/{simulationId}/responses/export';
/** These words send the user to the console, so the cause is written there. */
const UNKNOWN = 'Failed to download file. Check console for details.';

/** Downloads a run's responses in the format of the user's settings; as CSV until they are known. */
export function useDownload(): (run: Simulation) => Promise<void> {
  const { message } = App.useApp();
  const settings = useGet('/api/auth/settings', {}, { revalidateOnFocus: false, shouldRetryOnError: false });
  const format = settings.data?.exportFormat ?? 'csv';
  return async (run) => {
    try {
      if (format === 'excel') await saveSheets(run, message);
      else if (format === 'json') await saveJson(run, message);
      else await saveCsv(run, message);
    } catch (error) {
      if (error instanceof NothingToExport && format !== 'excel') {
        void message.warning('No responses found for this simulation');
        return;
      }
      const words = wordsFor(error);
      // A 401 ends the session and leaves the signed-in pages, which show the messages of `App`.
      const ended = error instanceof ApiError && error.status === 401;
      void (ended ? standalone : message).error(words);
      if (words === UNKNOWN) console.error(error);
    }
  };
}

/** `simulation-{last 8 of its id}-responses.csv`: the server's file, with a row for each request of the run. */
async function saveCsv(run: Simulation, message: MessageInstance): Promise<void> {
  const { surveyId, simulationId, totalRequests } = run;
  const file = await api.get(`${EXPORT}.csv`, {
    params: { path: { surveyId, simulationId } },
    parseAs: 'blob',
  });
  checkTable(file, totalRequests);
  save(run, 'csv', file, totalRequests, message);
}

/** `simulation-{last 8 of its id}-responses.json`. */
async function saveJson(run: Simulation, message: MessageInstance): Promise<void> {
  const { surveyId, simulationId } = run;
  const rows = await api.get(EXPORT, { params: { path: { surveyId, simulationId } } });
  const file = new Blob([JSON.stringify(rows, null, 2)], { type: 'application/json' });
  checkTable(file, rows.length);
  save(run, 'json', file, rows.length, message);
}

function save(run: Simulation, format: string, file: Blob, rows: number, message: MessageInstance): void {
  saveFile(file, `simulation-${shortId(run.simulationId)}-responses.${format}`);
  void message.success(`Downloaded ${rows} response records`);
}

async function saveSheets({ surveyId, simulationId }: Simulation, message: MessageInstance): Promise<void> {
  const params = { path: { surveyId, simulationId } };
  const workbook = await api.get(`${EXPORT}.xlsx`, { params, parseAs: 'blob' });
  saveWorkbook(workbook, simulationId);
  void message.success('Complete Excel file downloaded successfully!');
}

function wordsFor(error: unknown): string {
  if (error instanceof NothingToExport) return error.message;
  if (!(error instanceof ApiError)) return UNKNOWN;
  const known: Partial<Record<number, string>> = {
    401: 'Authentication failed. Please log in again.',
    403: 'Access denied. You may not have permission to download this data.',
    404: 'Simulation or survey not found.',
  };
  return known[error.status] ?? (error.serverMessage || 'Failed to download simulation responses');
}
