import { useMemo, useState } from 'react';
import { Alert } from 'antd';
import { usePage } from '@/api/hooks';
import { typeName } from '@/api/questionTypes';
import type { RunAddress, SimulationRequest } from '@/api/types';
import { DataTable, type Column, type Paged } from '@/ui/DataTable';
import { nameOf, TwinButton, useTwinAnswers } from './TwinAnswers';

/** Requests per page. */
const PAGE = 250;
const none: never[] = [];
const config = { keepPreviousData: true, revalidateOnFocus: false, shouldRetryOnError: false };

/** Every request of a run with its answer or why it failed; the answers alone where the server refuses the former. */
export function ListView({ run }: { run: RunAddress }) {
  const [page, setPage] = useState(1);
  const options = { params: { path: run, query: { limit: PAGE, offset: (page - 1) * PAGE } } };
  const debug = usePage('/api/surveys/{surveyId}/simulation/{simulationId}/responses/debug', options, config);
  const refused = debug.error !== undefined;
  const formatted = usePage(
    refused ? '/api/surveys/{surveyId}/simulation/{simulationId}/responses/formatted' : null,
    options,
    config,
  );
  const { data, error, isLoading } = refused ? formatted : debug;
  if (error !== undefined) return <Alert type="error" title="Failed to load simulation responses" />;
  return (
    <ListTable
      rows={data?.rows ?? none}
      loading={isLoading}
      paged={{ page, size: PAGE, total: data?.total ?? 0, onChange: setPage }}
    />
  );
}

/** What a row shows of a request. */
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
  const columns = useMemo<Column<ListRow>[]>(
    () => [
      {
        title: 'Persona',
        key: 'persona',
        fixed: 'start',
        width: 170,
        render: (_, row) => {
          const twin = nameOf(row);
          const answers = [{ question: row.questionText, answer: wordsOf(row) }];
          return <TwinButton name={twin} onClick={() => open({ twin, answers })} />;
        },
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
    ],
    [open],
  );
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
