import { useMemo, useState } from 'react';
import { Alert, Tag } from 'antd';
import { usePage } from '@/api/hooks';
import { isNumber } from '@/api/questionTypes';
import type { MatrixRow, Question, RunAddress } from '@/api/types';
import { DataTable, type Column, type Paged } from '@/ui/DataTable';
import { nameOf, TwinButton, useTwinAnswers } from './TwinAnswers';

/** Twins per page. */
const PAGE = 50;
const none: never[] = [];

/** What every twin of a run answered, page by page. */
export function MatrixView({ run, questions }: { run: RunAddress; questions: readonly Question[] }) {
  const [page, setPage] = useState(1);
  const { data, error, isLoading } = usePage(
    '/api/surveys/{surveyId}/simulation/{simulationId}/responses/matrix',
    { params: { path: run, query: { limit: PAGE, offset: (page - 1) * PAGE } } },
    { keepPreviousData: true, revalidateOnFocus: false },
  );
  if (error !== undefined) return <Alert type="error" title="Failed to load simulation responses" />;
  return (
    <MatrixTable
      rows={data?.rows ?? none}
      questions={questions}
      loading={isLoading}
      paged={{ page, size: PAGE, total: data?.total ?? 0, onChange: setPage }}
    />
  );
}

/** Column widths in pixels. */
const PERSONA_PX = 170;
const ANSWER_PX = 180;
const NUMBER_PX = 90;

/** A row per twin, a column per question. */
export function MatrixTable({
  rows,
  questions,
  loading = false,
  paged,
}: {
  rows: readonly MatrixRow[];
  questions: readonly Question[];
  loading?: boolean;
  paged?: Paged;
}) {
  const { open, dialog } = useTwinAnswers();
  const columns = useMemo<Column<MatrixRow>[]>(() => {
    const answersOf = (row: MatrixRow) => ({
      twin: nameOf(row),
      answers: questions.map(({ text }, index) => ({
        question: `Q${index + 1}. ${text}`,
        answer: wordsOf(row.answers[index]),
      })),
    });
    return [
      {
        title: 'Persona',
        key: 'persona',
        fixed: 'start',
        width: PERSONA_PX,
        render: (_, row) => <TwinButton name={nameOf(row)} onClick={() => open(answersOf(row))} />,
      },
      ...questions.map((question, index): Column<MatrixRow> => {
        const number = isNumber(question.questionType);
        return {
          title: <abbr title={question.text}>Q{index + 1}</abbr>,
          key: question.id,
          width: number ? NUMBER_PX : ANSWER_PX,
          align: number ? 'right' : 'left',
          ellipsis: true,
          render: (_, row) => {
            const cell = row.answers[index];
            return cell?.status === 'failed' ? <Tag color="error">failed</Tag> : wordsOf(cell);
          },
        };
      }),
    ];
  }, [questions, open]);
  return (
    <>
      <DataTable
        rows={rows}
        rowKey="personaId"
        columns={columns}
        name="digital twins"
        aria-label="Answers by digital twin and question"
        loading={loading}
        scroll={{ x: columns.reduce((sum, { width }) => sum + Number(width), 0) }}
        size={PAGE}
        {...(paged !== undefined && { paged })}
      />
      {dialog}
    </>
  );
}

const wordsOf = (cell: MatrixRow['answers'][number] | undefined) =>
  cell?.status === 'failed' ? 'failed' : (cell?.answer ?? '–');
