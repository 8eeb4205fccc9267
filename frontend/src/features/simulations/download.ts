import { App, message as standalone } from 'antd';
import type { MessageInstance } from 'antd/es/message/interface';
import Papa from 'papaparse';
import { api, ApiError } from '@/api/client';
import { useGet } from '@/api/hooks';
import { NothingToExport, saveFile, saveWorkbook } from '@/api/saveFile';
import type { Simulation } from '@/api/types';
import { shortId } from './display';

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
      else await saveRows(run, format === 'json' ? 'json' : 'csv', message);
    } catch (error) {
      const words = wordsFor(error);
      // A 401 ends the session and leaves the signed-in pages, which show the messages of `App`.
      const ended = error instanceof ApiError && error.status === 401;
      void (ended ? standalone : message).error(words);
      if (words === UNKNOWN) console.error(error);
    }
  };
}

/** `simulation-{last 8 of its id}-responses`, as CSV or JSON. */
async function saveRows(
  { surveyId, simulationId }: Simulation,
  format: 'csv' | 'json',
  message: MessageInstance,
): Promise<void> {
  const rows = await api.get(EXPORT, { params: { path: { surveyId, simulationId } } });
  if (rows.length === 0) {
    void message.warning('No responses found for this simulation');
    return;
  }
  const file =
    format === 'csv'
      ? new Blob([csvText(rows)], { type: 'text/csv;charset=utf-8' })
      : new Blob([JSON.stringify(rows, null, 2)], { type: 'application/json' });
  saveFile(file, `simulation-${shortId(simulationId)}-responses.${format}`);
  void message.success(`Downloaded ${rows.length} response records`);
}

async function saveSheets({ surveyId, simulationId }: Simulation, message: MessageInstance): Promise<void> {
  const params = { path: { surveyId, simulationId }, query: { format: 'xlsx' as const } };
  const workbook = await api.get(EXPORT, { params, parseAs: 'blob' });
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

/**
 * Rows as RFC 4180 with a byte order mark, for spreadsheets: quoted where a cell holds a comma, quote or newline; null
 * becomes empty; a text that a spreadsheet would run as a formula starts with an apostrophe.
 */
export function csvText(rows: readonly object[]): string {
  const [first] = rows;
  if (first === undefined) throw new NothingToExport('No data to export');
  const columns = Object.keys(first);
  if (columns.length === 0) throw new NothingToExport('Data structure is invalid - no headers found');
  const cells = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(value)])),
  );
  return `\uFEFF${Papa.unparse(cells, { columns, escapeFormulae: true })}\r\n`;
}

/** Lists and objects as JSON, all else as it is. */
function cell(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
