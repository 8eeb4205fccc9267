import { useGet } from './hooks';
import { polling } from './polling';
import type { RunAddress } from './types';

export interface TextsQuery {
  questionId: number;
  /** What a text must contain. */
  q?: string;
  by?: string;
  where?: string[];
  limit: number;
  offset: number;
}

/** The texts that answer a question, asked for again every `ms` milliseconds while the run moves. Without a run none. */
export const useTexts = (run: RunAddress | null, query: TextsQuery, ms: number | null) =>
  useGet(
    run === null ? null : '/api/surveys/{surveyId}/simulation/{simulationId}/texts',
    { params: { path: run ?? { surveyId: 0, simulationId: '' }, query } },
    { keepPreviousData: true, revalidateOnFocus: false, ...(ms !== null && polling(ms, () => true)) },
  );
