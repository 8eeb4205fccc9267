import { useMemo } from 'react';
import type { SimulationRequest } from '@/api/types';
import { typeName } from '@/ui/questionTypes';
import { VirtualTable, type VirtualColumn } from '@/ui/VirtualTable';
import { personaLabel } from './labels';
import { useReading } from './useReading';

/** What a row shows of a request. */
export type ListRow = Pick<
  SimulationRequest,
  'personaId' | 'personaName' | 'questionId' | 'questionText' | 'questionType' | 'availableOptions' | 'answer'
> & { errorMessage?: string | null | undefined };

/** A row per twin and question; a twin's name opens the answer at full length. */
export function ListTable({ rows, busy = false }: { rows: readonly ListRow[]; busy?: boolean }) {
  const { read, dialog } = useReading();
  const columns = useMemo<VirtualColumn<ListRow>[]>(
    () => [
      {
        title: 'Persona',
        key: 'persona',
        width: 170,
        render: (row) => (
          <button type="button" onClick={() => read(readingOf(row))}>
            {personaLabel(row)}
          </button>
        ),
      },
      { title: 'Question', key: 'question', width: 300, render: ({ questionText }) => questionText },
      {
        title: 'Options',
        key: 'options',
        width: 220,
        render: (row) => row.availableOptions.join(', ') || '–',
      },
      { title: 'Response', key: 'response', width: 300, render: (row) => <Response row={row} /> },
      { title: 'Type', key: 'type', width: 140, render: ({ questionType }) => typeName(questionType) },
    ],
    [read],
  );
  return (
    <>
      <VirtualTable
        rows={rows}
        keyOf={({ personaId, questionId }) => `${personaId}-${questionId}`}
        columns={columns}
        name="Answers one by one"
        busy={busy}
      />
      {dialog}
    </>
  );
}

/** The answer, or why there is none. */
const wordsOf = ({ answer, errorMessage }: ListRow) =>
  errorMessage ? `Failed: ${errorMessage}` : (answer ?? '–');

const readingOf = (row: ListRow) => ({
  title: personaLabel(row),
  answers: [{ question: row.questionText, answer: wordsOf(row) }],
});

function Response({ row }: { row: ListRow }) {
  return row.errorMessage ? <span className="failure">{wordsOf(row)}</span> : wordsOf(row);
}
