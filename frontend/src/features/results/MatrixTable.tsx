import { useMemo } from 'react';
import type { MatrixRow, Question } from '@/api/types';
import { Badge } from '@/ui/Badge';
import { isNumber } from '@/ui/questionTypes';
import { VirtualTable, type VirtualColumn } from '@/ui/VirtualTable';
import { personaLabel } from './labels';
import { useReading } from './useReading';

const PERSONA_PX = 170;
const ANSWER_PX = 180;
const NUMBER_PX = 90;

/** A row per twin, a column per question; a twin's name opens all it answered. */
export function MatrixTable({
  rows,
  questions,
  busy = false,
}: {
  rows: readonly MatrixRow[];
  questions: readonly Question[];
  busy?: boolean;
}) {
  const { read, dialog } = useReading();
  const columns = useMemo<VirtualColumn<MatrixRow>[]>(() => {
    const answersOf = (row: MatrixRow) => ({
      title: personaLabel(row),
      answers: questions.map(({ text }, index) => ({
        question: `Q${index + 1}. ${text}`,
        answer: wordsOf(row.answers[index]),
      })),
    });
    return [
      {
        title: 'Persona',
        key: 'persona',
        width: PERSONA_PX,
        render: (row) => (
          <button type="button" onClick={() => read(answersOf(row))}>
            {personaLabel(row)}
          </button>
        ),
      },
      ...questions.map((question, index) => ({
        title: <abbr title={question.text}>Q{index + 1}</abbr>,
        key: String(question.id),
        width: isNumber(question.questionType) ? NUMBER_PX : ANSWER_PX,
        align: isNumber(question.questionType) ? ('right' as const) : undefined,
        render: (row: MatrixRow) => <Cell cell={row.answers[index]} />,
      })),
    ];
  }, [questions, read]);
  return (
    <>
      <VirtualTable
        rows={rows}
        keyOf={({ personaId }) => personaId}
        columns={columns}
        name="Answers by digital twin and question"
        busy={busy}
      />
      {dialog}
    </>
  );
}

type CellOf = MatrixRow['answers'][number] | undefined;

function Cell({ cell }: { cell: CellOf }) {
  return cell?.status === 'failed' ? <Badge tone="bad">failed</Badge> : wordsOf(cell);
}

const wordsOf = (cell: CellOf) => (cell?.status === 'failed' ? 'failed' : (cell?.answer ?? '–'));
