import { useState } from 'react';
import { usePage } from '@/api/hooks';
import type { RunAddress } from '@/api/types';
import { Banner } from '@/ui/Banner';
import { Pager } from '@/ui/Pager';
import { ListTable } from './ListTable';

/** Answers in a page. */
const PAGE = 250;
const none: never[] = [];
const config = { keepPreviousData: true, revalidateOnFocus: false, shouldRetryOnError: false };

/** Every request of a run with its answer or the reason of its failure; where that is refused, the answers alone. */
export function ListView({ run }: { run: RunAddress }) {
  const [page, setPage] = useState(1);
  const options = { path: run, query: { limit: PAGE, offset: (page - 1) * PAGE } };
  const debug = usePage('/api/surveys/{surveyId}/simulation/{simulationId}/responses/debug', options, config);
  const refused = debug.error !== undefined;
  const plain = usePage(
    refused ? '/api/surveys/{surveyId}/simulation/{simulationId}/responses/formatted' : null,
    options,
    config,
  );
  const shown = refused ? plain : debug;
  if (shown.error !== undefined) return <Banner type="error">Failed to load simulation responses</Banner>;
  return (
    <>
      <ListTable key={page} rows={shown.data?.rows ?? none} busy={shown.isLoading} />
      <Pager page={page} size={PAGE} total={shown.data?.total ?? 0} name="responses" onChange={setPage} />
    </>
  );
}
