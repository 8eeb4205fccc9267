import { api } from './client';
import { useGet } from './hooks';
import { polling, type Config } from './polling';
import type { RunAddress, Texts } from './types';

/** The source of a run's texts: its address, or a link to its results. */
export type TextSource = RunAddress | { token: string };

export interface TextsQuery {
  questionId: number;
  /** The words that a text must contain. */
  q?: string;
  theme?: string;
  by?: string;
  /** The group whose answers are read. Only with `by`. */
  group?: string;
  where?: string[];
  limit: number;
  offset: number;
}

/** The texts that answer a question, asked for again every `ms` milliseconds while the run moves. */
export function useTexts(source: TextSource, query: TextsQuery, ms: number | null) {
  const config: Config<Texts> = {
    keepPreviousData: true,
    revalidateOnFocus: false,
    ...(ms !== null && polling<Texts>(ms, () => true)),
  };
  const shared = 'token' in source;
  const run = shared ? { surveyId: 0, simulationId: '' } : source;
  const ofRun = useGet(
    shared ? null : '/api/surveys/{surveyId}/simulation/{simulationId}/texts',
    { params: { path: run, query } },
    config,
  );
  const ofLink = useGet(
    shared ? '/api/shared/{token}/texts' : null,
    { params: { path: { token: shared ? source.token : '' }, query } },
    config,
  );
  return shared ? ofLink : ofRun;
}

/** Texts that one call hands out at most. */
const LARGEST_PAGE = 500;

/** All texts that answer a question, page by page. */
export async function allTexts(
  source: TextSource,
  sought: Omit<TextsQuery, 'limit' | 'offset'>,
): Promise<Texts> {
  const texts: Texts['texts'] = [];
  for (;;) {
    const query = { ...sought, limit: LARGEST_PAGE, offset: texts.length };
    const page = await ('token' in source
      ? api.get('/api/shared/{token}/texts', { params: { path: source, query } })
      : api.get('/api/surveys/{surveyId}/simulation/{simulationId}/texts', {
          params: { path: source, query },
        }));
    texts.push(...page.texts);
    if (page.texts.length === 0 || texts.length >= page.total) return { ...page, texts };
  }
}
