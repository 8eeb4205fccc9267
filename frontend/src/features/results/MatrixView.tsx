import { Alert } from 'antd';
import { failed } from '@/api/client';
import { useAll, usePage } from '@/api/hooks';
import { live } from '@/api/live';
import type { Question, RunAddress } from '@/api/types';
import { useResultFilter } from '@/charts/filter';
import { count } from '@/ui/format';
import { useAddress, usePageInAddress } from '@/ui/titleAndAddress';
import { rowsOf } from './matrix';
import { MatrixTable, PAGE } from './MatrixTable';
import { PERSONA, sortQuery, type MatrixSort } from './matrixSort';
import { ActiveFilters } from './ActiveFilters';
import { AnswerSearch, useAnswerSearch } from './AnswerSearch';

const none: never[] = [];
const config = { keepPreviousData: true, revalidateOnFocus: false };
const MATRIX = '/api/surveys/{surveyId}/simulation/{simulationId}/responses/matrix';
const FORMATTED = '/api/surveys/{surveyId}/simulation/{simulationId}/responses/formatted';

/**
 * The answers of all twins of a run, page by page, searched and sorted by the server. Made of the list of answers if the
 * server refuses the matrix. Page, search and order are in the address.
 */
export function MatrixView({
  run,
  questions,
  moving = false,
}: {
  run: RunAddress;
  questions: readonly Question[];
  /** Answers still come in. */
  moving?: boolean;
}) {
  const [page, setPage] = usePageInAddress();
  const [address, change] = useAddress();
  const column = address.get('column');
  const isKnown = column === PERSONA || questions.some(({ id }) => String(id) === column?.split('-')[0]);
  const sort = column === null || !isKnown ? null : { column, down: address.has('down') };
  const order = (wanted: MatrixSort | null) =>
    change({ column: wanted?.column ?? null, down: wanted?.down === true ? '1' : null, page: null });
  const { where } = useResultFilter().query;
  const narrowed = where && { where };
  const words = useAnswerSearch();
  const query = { ...narrowed, ...(words !== '' && { q: words }), ...sortQuery(sort) };

  const found = usePage(
    MATRIX,
    { params: { path: run, query: { limit: PAGE, offset: (page - 1) * PAGE, ...query } } },
    { ...config, ...live(moving) },
  );
  // How many there are without the search.
  const all = usePage(
    words === '' ? null : MATRIX,
    { params: { path: run, query: { limit: 1, offset: 0, ...narrowed } } },
    config,
  );
  // While a run moves, the next look may pass.
  const refused = found.error !== undefined && (!moving || found.data === undefined);
  const formatted = useAll(
    refused ? FORMATTED : null,
    { params: { path: run, query: { ...narrowed } } },
    config,
  );
  if (formatted.error !== undefined) {
    return (
      <>
        <ActiveFilters run={run} questions={questions} />
        <Alert type="error" title={failed('Failed to load simulation responses', formatted.error)} />
      </>
    );
  }
  const listed = refused ? rowsOf(formatted.data ?? none, questions) : none;
  const rows = refused ? listed.slice((page - 1) * PAGE, page * PAGE) : (found.data?.rows ?? none);
  const total = refused ? listed.length : (found.data?.total ?? 0);
  const loading = refused ? formatted.isLoading : found.isLoading;
  const { simulationId } = run;
  return (
    <>
      <ActiveFilters run={run} questions={questions} />
      <AnswerSearch
        found={
          !loading && words !== '' && all.data !== undefined
            ? `${count(total)} of ${count(all.data.total)} digital twins`
            : undefined
        }
      />
      <MatrixTable
        rows={rows}
        questions={questions}
        loading={loading}
        sourceOf={({ personaId }) => ({ simulationId, personaId })}
        sort={sort}
        onSort={order}
        paged={{ page, size: PAGE, total, onChange: setPage }}
      />
    </>
  );
}
