import { Table, type TableColumnsType } from 'antd';
import type { SimulationResponse } from '@/api/types';
import { typeName } from '@/ui/questionTypes';

const columns: TableColumnsType<SimulationResponse> = [
  {
    title: 'Persona',
    key: 'persona',
    width: 130,
    render: (_, { personaId, personaName }) => personaName || `Persona ${personaId}`,
  },
  { title: 'Question', dataIndex: 'questionText', key: 'question', width: 280, ellipsis: true },
  {
    title: 'Options',
    key: 'options',
    width: 220,
    ellipsis: true,
    render: (_, { availableOptions }) => availableOptions.join(', ') || '–',
  },
  { title: 'Response', dataIndex: 'answer', key: 'response', width: 280, ellipsis: true },
  { title: 'Type', key: 'type', width: 130, render: (_, { questionType }) => typeName(questionType) },
];

/** A row per answer; only the rows in sight are drawn. */
export function ListView({ responses }: { responses: SimulationResponse[] }) {
  return (
    <Table
      virtual
      rowKey={({ personaId, questionId }) => `${personaId}-${questionId}`}
      columns={columns}
      dataSource={responses}
      pagination={false}
      scroll={{ x: 1040, y: 560 }}
      size="small"
    />
  );
}
