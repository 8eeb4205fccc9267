import { useMemo } from 'react';
import { Alert } from 'antd';
import { failed } from '@/api/client';
import { usePage } from '@/api/hooks';
import { live } from '@/api/live';
import type { Question, RunAddress, SimulationRequest } from '@/api/types';
import { useResultFilter } from '@/charts/filter';
import { typeName } from '@/question-types/questionTypes';
import { count } from '@/ui/format';
import { DataTable, type Column, type Paged } from '@/ui/DataTable';
import { usePageInAddress } from '@/ui/titleAndAddress';
import { ActiveFilters } from './ActiveFilters';
import { AnswerSearch, useAnswerSearch } from './AnswerSearch';
import { nameOf, TwinButton, useTwinAnswers } from './TwinAnswers';

/** Requests per page. */
const PAGE = 250;
const none: never[] = [];
const config = { keepPreviousData: true, revalidateOnFocus: false, shouldRetryOnError: false };

/** Every request of a run with its answer or why it failed; the answers alone where the server refuses the former. */
export function ListView({
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
  const { where } = useResultFilter().query;
  const q = useAnswerSearch();
  const query = { limit: PAGE, offset: (page - 1) * PAGE, ...(where && { where }), ...(q !== '' && { q }) };
  const options = { params: { path: run, query } };
  const debug = usePage('/api/surveys/{surveyId}/simulation/{simulationId}/responses/debug', options, {
    ...config,
    ...live(moving),
  });
  const refused = debug.error !== undefined;
  const formatted = usePage(
    refused ? '/api/surveys/{surveyId}/simulation/{simulationId}/responses/formatted' : null,
    options,
    config,
  );
  const { data, error, isLoading } = refused ? formatted : debug;
  if (error !== undefined) {
    return (
      <>
        <ActiveFilters run={run} questions={questions} />
        <Alert type="error" title={failed('Failed to load simulation responses', error)} />
      </>
    );
  }
  const total = data?.total ?? 0;
  const found = total === 1 ? '1 request' : `${count(total)} requests`;
  return (
    <>
      <ActiveFilters run={run} questions={questions} />
      <AnswerSearch
        found={!isLoading && q !== '' ? `${found} of the digital twins with these words` : undefined}
      />
      <ListTable
        rows={data?.rows ?? none}
        loading={isLoading}
        paged={{ page, size: PAGE, total, onChange: setPage }}
      />
    </>
  );
}

/** The row of a request. */
export type ListRow = Pick<
  SimulationRequest,
  'personaId' | 'personaName' | 'questionId' | 'questionText' | 'questionType' | 'availableOptions' | 'answer'
> & { errorMessage?: string | null | undefined };

/** A row per twin and question. */
export function ListTable({
  rows,
  loading = false,
  paged,
}: {
  rows: readonly ListRow[];
  loading?: boolean;
  paged?: Paged;
}) {
  const { open, dialog } = useTwinAnswers();
  const columns = useMemo<Column<ListRow>[]>(() => {
    // A twin has as many rows as it has answers.
    const twins = [...new Map(rows.map((row) => [row.personaId, nameOf(row)]))];
    const show = ({ personaId }: ListRow) =>
      open(
        twins.map(([id, twin]) => ({
          twin,
          answers: rows
            .filter((row) => row.personaId === id)
            .map((row) => ({ question: row.questionText, answer: wordsOf(row) })),
        })),
        twins.findIndex(([id]) => id === personaId),
      );
    return [
      {
        title: 'Persona',
        key: 'persona',
        fixed: 'start',
        width: 170,
        render: (_, row) => <TwinButton name={nameOf(row)} onClick={() => show(row)} />,
      },
      { title: 'Question', key: 'question', width: 300, ellipsis: true, dataIndex: 'questionText' },
      {
        title: 'Options',
        key: 'options',
        width: 220,
        ellipsis: true,
        render: (_, row) => row.availableOptions.join(', ') || '–',
      },
      {
        title: 'Response',
        key: 'response',
        width: 300,
        ellipsis: true,
        render: (_, row) => <span className={row.errorMessage ? 'failure' : ''}>{wordsOf(row)}</span>,
      },
      {
        title: 'Type',
        key: 'type',
        width: 140,
        render: (_, { questionType }) => typeName(questionType),
      },
    ];
  }, [open, rows]);
  return (
    <>
      <DataTable
        rows={rows}
        rowKey={({ personaId, questionId }) => `${personaId}-${questionId}`}
        columns={columns}
        name="responses"
        aria-label="Answers one by one"
        loading={loading}
        scroll={{ x: 1130 }}
        size={PAGE}
        {...(paged !== undefined && { paged })}
      />
      {dialog}
    </>
  );
}

/** The answer, or why there is none. */
const wordsOf = ({ answer, errorMessage }: ListRow) =>
  errorMessage ? `Failed: ${errorMessage}` : (answer ?? '–');
