import { api } from './client';
import { polling, usePolled } from './polling';
import type { RunAddress } from './types';

/** Answers in free words: what twins wrote, the commonest first. */
export interface Texts {
  /** Different texts. */
  total: number;
  /** Twins who wrote one of them. */
  n: number;
  texts: Text[];
}

export interface Text {
  text: string;
  count: number;
  groups: { value: string; n: number }[];
}

export interface TextsQuery {
  questionId: number;
  /** What a text must contain. */
  q?: string;
  by?: string;
  where?: string[];
  limit: number;
  offset: number;
}

/** Whether the server has the call; until it does, the summary's first texts stand in. */
export const TEXTS_ARE_SERVED: boolean = false;

const PATH = '/api/surveys/{surveyId}/simulation/{simulationId}/texts';
const get = api.get as unknown as (
  path: string,
  options: { params: { path: RunAddress; query: TextsQuery } },
) => Promise<Texts>;

/** The texts that answer a question, asked for again every `ms` milliseconds while the run moves. */
export function useTexts(run: RunAddress | null, query: TextsQuery, ms: number | null) {
  return usePolled<Texts>(
    TEXTS_ARE_SERVED && run !== null ? [PATH, run, query] : null,
    // Asked only with a run.
    () => get(PATH, { params: { path: run as RunAddress, query } }),
    {
      keepPreviousData: true,
      revalidateOnFocus: false,
      ...(ms === null ? {} : polling(ms, () => true)),
    },
  );
}
