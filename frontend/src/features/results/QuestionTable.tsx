import type { Question } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { typeName } from '@/ui/questionTypes';

const listed = (items: readonly string[]) => (items.length === 0 ? '–' : items.join(' · '));

const columns: Column<Question>[] = [
  { title: 'Number', key: 'number', align: 'right', render: ({ order }) => order },
  { title: 'Text', key: 'text', width: '26%', render: ({ text }) => text },
  { title: 'Type', key: 'type', render: ({ questionType }) => typeName(questionType) },
  {
    title: 'Options',
    key: 'options',
    render: ({ options, minValue, maxValue }) =>
      minValue != null && maxValue != null
        ? `${minValue} to ${maxValue}`
        : listed(options.map(({ text }) => text)),
  },
  { title: 'Sub-questions', key: 'rows', render: ({ subQuestions }) => listed(subQuestions) },
  {
    title: 'Scale labels',
    key: 'labels',
    render: (question) => listed(question.scale_labels),
  },
];

export function QuestionTable({ questions }: { questions: readonly Question[] }) {
  return <DataTable rows={questions} keyOf={({ id }) => id} columns={columns} name="questions" size={100} />;
}
