import { Table, type TableColumnsType } from 'antd';
import type { Question } from '@/api/types';
import { typeName } from '@/ui/questionTypes';

const listed = (items: readonly string[]) => (items.length === 0 ? '–' : items.join(' · '));

const columns: TableColumnsType<Question> = [
  { title: 'Number', dataIndex: 'order', key: 'number', align: 'right', width: 90 },
  { title: 'Text', dataIndex: 'text', key: 'text', width: 320 },
  { title: 'Type', key: 'type', width: 140, render: (_, { questionType }) => typeName(questionType) },
  {
    title: 'Options',
    key: 'options',
    width: 240,
    render: (_, { options, minValue, maxValue }) =>
      minValue != null && maxValue != null
        ? `${minValue} to ${maxValue}`
        : listed(options.map(({ text }) => text)),
  },
  { title: 'Sub-questions', key: 'rows', width: 240, render: (_, { subQuestions }) => listed(subQuestions) },
  {
    title: 'Scale labels',
    key: 'labels',
    width: 240,
    render: (_, question) => listed(question.scale_labels),
  },
];

export function QuestionTable({ questions }: { questions: readonly Question[] }) {
  return (
    <Table rowKey="id" columns={columns} dataSource={questions} pagination={false} scroll={{ x: 1270 }} />
  );
}
