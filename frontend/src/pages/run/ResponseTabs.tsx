import { lazy, Suspense, useState } from 'react';
import { Tabs } from 'antd';
import type { Question, Simulation } from '@/api/types';
import { ListTable, ListView } from '@/features/results/ListView';
import { MatrixTable } from '@/features/results/MatrixTable';
import { MatrixView } from '@/features/results/MatrixView';
import { Details } from '@/features/results/run/Details';
import { Overview } from '@/features/results/run/Overview';
import { listed, sampleRows } from '@/features/results/sample';
import { typeName } from '@/question-types/questionTypes';
import { DataTable, type Column } from '@/ui/DataTable';
import { Loading } from '@/ui/Page';
import { Piped } from '@/ui/Piped';
import { useAddress } from '@/ui/titleAndAddress';

/** Chunks of their own. */
const Charts = lazy(() => import('@/features/results/Charts'));
const People = lazy(() => import('@/features/people/People'));
const RunTrust = lazy(() => import('@/features/validation/RunTrust'));

/** A run's answers. Which tab is open stands in the address; an ended run opens with its matrix. */
export function ResponseTabs({
  run: simulation,
  questions,
  moving,
}: {
  run: Simulation;
  questions: readonly Question[];
  moving: boolean;
}) {
  const [address, change] = useAddress();
  const { surveyId, simulationId } = simulation;
  const run = { surveyId, simulationId };
  const [first] = useState(moving ? 'overview' : 'matrix');
  // The page is that of the table that is left.
  const open = (tab: string) => change({ tab, page: null });
  return (
    <Tabs
      className="result-tabs"
      destroyOnHidden
      activeKey={address.get('tab') ?? first}
      onChange={open}
      items={[
        { key: 'overview', label: 'Overview', children: <Overview run={simulation} /> },
        {
          key: 'charts',
          label: 'Charts',
          children: (
            <Suspense fallback={<Loading />}>
              <Charts run={run} />
            </Suspense>
          ),
        },
        {
          key: 'trust',
          label: 'How far to trust this',
          children: (
            <Suspense fallback={<Loading />}>
              <RunTrust run={simulation} />
            </Suspense>
          ),
        },
        {
          key: 'matrix',
          label: 'Matrix View',
          children: <MatrixView run={run} questions={questions} moving={moving} />,
        },
        {
          key: 'list',
          label: 'List View',
          children: <ListView run={run} questions={questions} moving={moving} />,
        },
        { key: 'questions', label: 'Survey Questions', children: <QuestionTable questions={questions} /> },
        {
          key: 'people',
          label: 'People',
          children: (
            <Suspense fallback={<Loading />}>
              <People run={run} />
            </Suspense>
          ),
        },
        {
          key: 'details',
          label: 'Details',
          children: <Details run={simulation} questions={questions} />,
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
      className="result-tabs"
      destroyOnHidden
      items={[
        { key: 'matrix', label: 'Matrix View', children: <MatrixTable rows={rows} questions={questions} /> },
        { key: 'list', label: 'List View', children: <ListTable rows={listed(rows, questions)} /> },
        { key: 'questions', label: 'Survey Questions', children: <QuestionTable questions={questions} /> },
      ]}
    />
  );
}

const joined = (items: readonly string[]) => (items.length === 0 ? '–' : <Piped text={items.join(' · ')} />);

const columns: Column<Question>[] = [
  { title: 'Number', key: 'number', align: 'right', dataIndex: 'order' },
  { title: 'Name', key: 'name', render: (_, { name }) => <code>{name}</code> },
  { title: 'Text', key: 'text', width: '26%', render: (_, { text }) => <Piped text={text} /> },
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
