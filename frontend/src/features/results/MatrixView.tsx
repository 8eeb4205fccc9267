import { Alert } from 'antd';
import { failed } from '@/api/client';
import { useAll, usePage } from '@/api/hooks';
import { live } from '@/api/live';
import { polling } from '@/api/polling';
import type { MatrixRow, Question, RunAddress } from '@/api/types';
import { useResultFilter } from '@/charts/filter';
import { count } from '@/ui/format';
import { SearchField } from '@/ui/SearchField';
import { useAddress, usePageInAddress } from '@/ui/titleAndAddress';
import { found, rowsOf } from './matrix';
import { MatrixTable, PAGE } from './MatrixTable';
import { sorted, type MatrixSort } from './matrixSort';
import { ActiveFilters } from './ActiveFilters';

const none: never[] = [];
const SEARCH_MS = 10_000;
/** The most answers that are searched or sorted: all of them come to the browser. */
const MOST_SEARCHED = 250_000;
const config = { keepPreviousData: true, revalidateOnFocus: false };
const MATRIX = '/api/surveys/{surveyId}/simulation/{simulationId}/responses/matrix';
const FORMATTED = '/api/surveys/{surveyId}/simulation/{simulationId}/responses/formatted';

/**
 * The answers of all twins of a run, page by page. Made of the list of answers if the server refuses the matrix. Page,
 * search and order are in the address.
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
  const q = address.get('q') ?? '';
  const search = (text: string) => change({ q: text, page: null });
  const column = address.get('column');
  const sort = column === null ? null : { column, down: address.has('down') };
  const order = (wanted: MatrixSort | null) =>
    change({ column: wanted?.column ?? null, down: wanted?.down === true ? '1' : null, page: null });
  const { where } = useResultFilter().query;
  const narrowed = where && { where };
  const everything = { params: { path: run, query: { ...narrowed } } };

  const one = usePage(
    MATRIX,
    { params: { path: run, query: { limit: PAGE, offset: (page - 1) * PAGE, ...narrowed } } },
    { ...config, ...live(moving) },
  );
  // While a run moves, the next look may pass.
  const refused = one.error !== undefined && (!moving || one.data === undefined);
  const total = one.data?.total ?? 0;
  const tooMany = total * questions.length > MOST_SEARCHED;
  // Twins of other pages may come first.
  const searching = (q.trim() !== '' || sort !== null) && !refused && one.data !== undefined;
  const all = useAll(searching && !tooMany ? MATRIX : null, everything, {
    ...config,
    // Not value by value: of so many answers that takes longer than to draw them.
    compare: Object.is,
    ...(moving && polling(SEARCH_MS, () => true)),
  });
  const formatted = useAll(refused ? FORMATTED : null, everything, config);

  const error = refused ? formatted.error : all.error;
  if (error !== undefined) {
    return (
      <>
        <ActiveFilters run={run} questions={questions} />
        <Alert type="error" title={failed('Failed to load simulation responses', error)} />
      </>
    );
  }
  const whole = refused || (searching && !tooMany);
  const source = refused
    ? rowsOf(formatted.data ?? none, questions)
    : whole
      ? (all.data ?? none)
      : (one.data?.rows ?? none);
  const met = found(source, q);
  const rows = sort === null ? met : sorted(met, questions, sort);
  const loading = refused ? formatted.isLoading : whole ? all.isLoading : one.isLoading;
  // The list of the run's twins, which has their texts, is not narrowed.
  const placed = source.length > 0 && !refused && where === undefined;
  const first = whole ? 0 : (page - 1) * PAGE;
  const { simulationId } = run;
  const sourceOf = ({ personaId }: MatrixRow) => {
    const place = source.findIndex((row) => row.personaId === personaId);
    return placed ? { simulationId, personaId, place: first + place } : undefined;
  };
  return (
    <>
      <ActiveFilters run={run} questions={questions} />
      <div className="matrix-search">
        <SearchField label="Search twins and answers" q={q} onChange={search} />
        {!loading && (q.trim() !== '' || (searching && tooMany)) && (
          <p className="muted" role="status">
            {count(rows.length)} of {count(source.length)} digital twins
            {searching && tooMany && ' on this page; the run is too large to search and sort all of it here'}
          </p>
        )}
      </div>
      <MatrixTable
        rows={whole ? rows.slice((page - 1) * PAGE, page * PAGE) : rows}
        questions={questions}
        loading={loading}
        sourceOf={sourceOf}
        sort={sort}
        onSort={order}
        paged={{ page, size: PAGE, total: whole ? rows.length : total, onChange: setPage }}
      />
    </>
  );
}
