import { lazy, Suspense } from 'react';
import type { Question, RunAddress } from '@/api/types';
import { Loading } from '@/ui/Loading';
import { Tabs } from '@/ui/Tabs';
import { ListView } from './ListView';
import { MatrixView } from './MatrixView';
import { QuestionTable } from './QuestionTable';

/** The charts bring a library along, which is loaded when they are first looked at. */
const Charts = lazy(() => import('./Charts'));

export function ResponseTabs({ run, questions }: { run: RunAddress; questions: readonly Question[] }) {
  return (
    <Tabs
      label="Answers"
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
