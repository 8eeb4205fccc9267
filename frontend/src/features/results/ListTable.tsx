import { Table, type TableColumnsType, type TablePaginationConfig } from 'antd';
import type { SimulationRequest } from '@/api/types';
import { typeName } from '@/ui/questionTypes';
import { personaLabel } from './labels';

/** What a row shows of a request. */
export type ListRow = Pick<
  SimulationRequest,
  'personaId' | 'personaName' | 'questionId' | 'questionText' | 'questionType' | 'availableOptions' | 'answer'
> & { errorMessage?: string | null | undefined };

const columns: TableColumnsType<ListRow> = [
  { title: 'Persona', key: 'persona', width: 170, render: (_, row) => personaLabel(row) },
  { title: 'Question', dataIndex: 'questionText', key: 'question', width: 280, ellipsis: true },
  {
    title: 'Options',
    key: 'options',
    width: 220,
    ellipsis: true,
    render: (_, { availableOptions }) => availableOptions.join(', ') || '–',
  },
  {
    title: 'Response',
    key: 'response',
    width: 280,
    ellipsis: true,
    render: (_, row) => <Response row={row} />,
  },
  { title: 'Type', key: 'type', width: 130, render: (_, { questionType }) => typeName(questionType) },
];
const WIDTH_PX = 1080;
const HEIGHT_PX = 560;

/** A row per twin and question; only the rows in sight are drawn. */
export function ListTable({
  rows,
  loading = false,
  pagination = false,
}: {
  rows: readonly ListRow[];
  loading?: boolean;
  pagination?: TablePaginationConfig | false;
}) {
  return (
    <Table
      virtual
      rowKey={({ personaId, questionId }) => `${personaId}-${questionId}`}
      columns={columns}
      dataSource={rows}
      loading={loading}
      pagination={pagination}
      scroll={{ x: WIDTH_PX, y: HEIGHT_PX }}
      size="small"
    />
  );
}

/** The answer, or why there is none. */
function Response({ row: { answer, errorMessage } }: { row: ListRow }) {
  if (errorMessage) return <span className="failure">Failed: {errorMessage}</span>;
  return answer ?? '–';
}
