import { api, ApiError } from '@/api/client';
import type { Simulation } from '@/api/types';
import { csvFile, NothingToExport } from '@/ui/csv';
import { saveFile } from '@/ui/saveFile';
import { toast } from '@/ui/toasts';
import { shortId } from './display';

/** Saves all answers of a run as `simulation-{last 8 of its id}-responses.csv`, and says how it went. */
export async function downloadCsv({ surveyId, simulationId }: Simulation): Promise<void> {
  try {
    const path = { id: surveyId, simId: simulationId };
    const rows = await api.get('/api/surveys/{id}/simulation/{simId}/responses/export', { path });
    if (rows.length === 0) {
      toast('warning', 'No responses found for this simulation');
      return;
    }
    saveFile(csvFile(rows), `simulation-${shortId(simulationId)}-responses.csv`);
    toast('success', `Downloaded ${rows.length} response records`);
  } catch (error) {
    toast('error', wordsFor(error));
  }
}

function wordsFor(error: unknown): string {
  if (error instanceof NothingToExport) return error.message;
  if (!(error instanceof ApiError)) return 'Failed to download file. Check console for details.';
  const known: Partial<Record<number, string>> = {
    401: 'Authentication failed. Please log in again.',
    403: 'Access denied. You may not have permission to download this data.',
    404: 'Simulation or survey not found.',
  };
  return known[error.status] ?? (error.serverMessage || 'Failed to download simulation responses');
}
