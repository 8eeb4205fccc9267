import { useState } from 'react';
import { usePage } from '@/api/hooks';
import type { Question, RunAddress } from '@/api/types';
import { Banner } from '@/ui/Banner';
import { Pager } from '@/ui/Pager';
import { MatrixTable } from './MatrixTable';

/** Twins in a page. */
const PAGE = 50;
const none: never[] = [];

/** What every twin of a run answered, a page of twins at a time. */
export function MatrixView({ run, questions }: { run: RunAddress; questions: readonly Question[] }) {
  const [page, setPage] = useState(1);
  const { data, error, isLoading } = usePage(
    '/api/surveys/{surveyId}/simulation/{simulationId}/responses/matrix',
    { path: run, query: { limit: PAGE, offset: (page - 1) * PAGE } },
    { keepPreviousData: true, revalidateOnFocus: false },
  );
  if (error !== undefined) return <Banner type="error">Failed to load simulation responses</Banner>;
  return (
    <>
      <MatrixTable key={page} rows={data?.rows ?? none} questions={questions} busy={isLoading} />
      <Pager page={page} size={PAGE} total={data?.total ?? 0} name="digital twins" onChange={setPage} />
    </>
  );
}
