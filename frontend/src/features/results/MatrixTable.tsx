import { Table, type TableColumnsType, type TablePaginationConfig } from 'antd';
import type { MatrixRow, Question } from '@/api/types';
import { Badge } from '@/ui/Badge';
import { isNumber } from '@/ui/questionTypes';
import { personaLabel } from './labels';

const PERSONA_PX = 170;
const ANSWER_PX = 180;
const HEIGHT_PX = 560;

/** A row per twin, a column per question; only the rows in sight are drawn. */
export function MatrixTable({
  rows,
  questions,
  loading = false,
  pagination = false,
}: {
  rows: readonly MatrixRow[];
  questions: readonly Question[];
  loading?: boolean;
  pagination?: TablePaginationConfig | false;
}) {
  const columns: TableColumnsType<MatrixRow> = [
    {
      title: 'Persona',
      key: 'persona',
      fixed: 'left',
      width: PERSONA_PX,
      render: (_, row) => personaLabel(row),
    },
    ...questions.map((question, index) => ({
      title: <abbr title={question.text}>Q{index + 1}</abbr>,
      key: String(question.id),
      width: ANSWER_PX,
      ...(isNumber(question.questionType) && { align: 'right' as const }),
      ellipsis: true,
      render: (_: unknown, row: MatrixRow) => <Cell cell={row.answers[index]} />,
    })),
  ];
  return (
    <Table
      virtual
      rowKey="personaId"
      columns={columns}
      dataSource={rows}
      loading={loading}
      pagination={pagination}
      scroll={{ x: PERSONA_PX + ANSWER_PX * questions.length, y: HEIGHT_PX }}
      size="small"
    />
  );
}

function Cell({ cell }: { cell: MatrixRow['answers'][number] | undefined }) {
  if (cell?.status === 'failed') return <Badge tone="bad">failed</Badge>;
  return cell?.answer ?? '–';
}
