import { lazy, Suspense, useState } from 'react';
import { Tabs } from 'antd';
import { typeName } from '@/api/questionTypes';
import type { Question, RunAddress } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { Loading } from '@/ui/Page';
import { ListTable, ListView } from './ListView';
import { MatrixTable, MatrixView } from './MatrixView';
import { listed, sampleRows } from './sample';

/** A chunk of its own, with the charts' library. */
const Charts = lazy(() => import('./Charts'));

export function ResponseTabs({ run, questions }: { run: RunAddress; questions: readonly Question[] }) {
  return (
    <Tabs
      destroyOnHidden
      items={[
        { key: 'matrix', label: 'Matrix View', children: <MatrixView run={run} questions={questions} /> },
        { key: 'list', label: 'List View', children: <ListView run={run} /> },
        { key: 'questions', label: 'Survey Questions', children: <QuestionTable questions={questions} /> },
        {
          key: 'charts',
          label: 'Charts',
          children: (
            <Suspense fallback={<Loading />}>
              <Charts run={run} />
            </Suspense>
          ),
        },
      ]}
    />
  );
}

/** Invented answers for a run that has none: without charts, and with nothing to download. */
export function SampleTabs({ questions }: { questions: readonly Question[] }) {
  const [rows] = useState(() => sampleRows(questions));
  return (
    <Tabs
      destroyOnHidden
      items={[
        { key: 'matrix', label: 'Matrix View', children: <MatrixTable rows={rows} questions={questions} /> },
        { key: 'list', label: 'List View', children: <ListTable rows={listed(rows, questions)} /> },
        { key: 'questions', label: 'Survey Questions', children: <QuestionTable questions={questions} /> },
      ]}
    />
  );
}

const joined = (items: readonly string[]) => (items.length === 0 ? '–' : items.join(' · '));

const columns: Column<Question>[] = [
  { title: 'Number', key: 'number', align: 'right', dataIndex: 'order' },
  { title: 'Text', key: 'text', width: '26%', dataIndex: 'text' },
  { title: 'Type', key: 'type', render: (_, { questionType }) => typeName(questionType) },
  {
    title: 'Options',
    key: 'options',
    render: (_, { options, minValue, maxValue }) =>
      minValue != null && maxValue != null
        ? `${minValue} to ${maxValue}`
        : joined(options.map(({ text }) => text)),
  },
  { title: 'Sub-questions', key: 'rows', render: (_, { subQuestions }) => joined(subQuestions) },
  { title: 'Scale labels', key: 'labels', render: (_, question) => joined(question.scale_labels) },
];

function QuestionTable({ questions }: { questions: readonly Question[] }) {
  return <DataTable rows={questions} rowKey="id" columns={columns} name="questions" size={100} />;
}
