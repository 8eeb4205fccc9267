import useSWR from 'swr';
import { api, ApiError } from '@/api/client';
import type { SimulationResponse } from '@/api/types';

const PAGE = 500;
const AT_ONCE = 4;
const debug = '/api/surveys/{id}/simulation/{simId}/responses/debug';
const formatted = '/api/surveys/{id}/simulation/{simId}/responses/formatted';

/** Every answer of a run: the debug form, or the formatted one where that is refused. */
export function useResponses(surveyId: number, simulationId: string) {
  const { data, error, isLoading } = useSWR<SimulationResponse[], unknown>(
    ['responses', surveyId, simulationId],
    async () => {
      try {
        return await readAll(debug, surveyId, simulationId);
      } catch (failure) {
        if (failure instanceof ApiError && failure.status === 401) throw failure;
        return readAll(formatted, surveyId, simulationId);
      }
    },
    { revalidateOnFocus: false, shouldRetryOnError: false },
  );
  return { responses: data ?? [], error, loading: isLoading };
}

/** Pages in order, a few at a time, until one is not full. */
async function readAll(
  template: typeof debug | typeof formatted,
  surveyId: number,
  simulationId: string,
): Promise<SimulationResponse[]> {
  const path = { id: surveyId, simId: simulationId };
  const page = (offset: number) => api.get(template, { path, query: { limit: PAGE, offset } });
  const all = await page(0);
  for (let next = all.length; next > 0 && next % PAGE === 0; next = all.length) {
    const pages = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => page(next + index * PAGE)));
    const more = pages.flat();
    if (more.length === 0) break;
    all.push(...more);
  }
  return all;
}
