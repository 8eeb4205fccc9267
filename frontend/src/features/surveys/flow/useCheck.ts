import { useMemo } from 'react';
import useSWR from 'swr';
import { api } from '@/api/client';
import type { Design } from '@/api/design';
import type { Question } from '@/api/types';
import { useSettled } from '@/ui/useSettled';

/** Checks a design that may not be saved yet, a moment after each change; `null` asks nothing. */
export function useCheck(surveyId: number, design: Design | null, questions: readonly Question[]) {
  const settled = useSettled(design);
  const asked = useMemo(() => JSON.stringify(questions), [questions]);
  return useSWR(
    settled === null ? null : ['design check', surveyId, settled, asked],
    () =>
      api.post('/api/surveys/{surveyId}/design/check', {
        params: { path: { surveyId } },
        body: { flow: settled?.flow, tables: settled?.tables as never },
      }),
    { keepPreviousData: true, revalidateOnFocus: false, shouldRetryOnError: false },
  );
}
