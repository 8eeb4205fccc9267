import { api, ApiError, send } from '@/api/client';
import type { Simulation } from '@/api/types';
import { NothingToExport, saveFile, saveWorkbook } from '@/ui/saveFile';
import { toast } from '@/ui/toasts';
import { csvFile } from './csv';
import { shortId } from './display';

/** Sends the user to the console, where the cause must stand then. */
const UNKNOWN = 'Failed to download file. Check console for details.';
const EXPORT = '/api/surveys/{surveyId}/simulation/{simulationId}/responses/export';

/** Saves all responses of a run in a format of the settings (`csv`, `excel` or `json`), and says how it went. */
export async function download(run: Simulation, format: string): Promise<void> {
  try {
    await (format === 'excel' ? saveSheets(run) : saveRows(run, format === 'json' ? 'json' : 'csv'));
  } catch (error) {
    const words = wordsFor(error);
    toast('error', words);
    if (words === UNKNOWN) console.error(error);
  }
}

/** `simulation-{last 8 of its id}-responses`, as CSV or JSON. */
async function saveRows({ surveyId, simulationId }: Simulation, format: 'csv' | 'json'): Promise<void> {
  const rows = await api.get(EXPORT, { path: { surveyId, simulationId } });
  if (rows.length === 0) {
    toast('warning', 'No responses found for this simulation');
    return;
  }
  const file = format === 'csv' ? csvFile(rows) : jsonFile(rows);
  saveFile(file, `simulation-${shortId(simulationId)}-responses.${format}`);
  toast('success', `Downloaded ${rows.length} response records`);
}

async function saveSheets({ surveyId, simulationId }: Simulation): Promise<void> {
  const file = await send('get', EXPORT, { path: { surveyId, simulationId }, query: { format: 'xlsx' } });
  saveWorkbook(await file.blob(), simulationId);
  toast('success', 'Complete Excel file downloaded successfully!');
}

function jsonFile(rows: readonly object[]): Blob {
  return new Blob([JSON.stringify(rows, null, 2)], { type: 'application/json' });
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
