import { useState } from 'react';
import type { Question } from '@/api/types';
import { Tabs } from '@/ui/Tabs';
import { ListTable } from './ListTable';
import { MatrixTable } from './MatrixTable';
import { QuestionTable } from './QuestionTable';
import { listed, sampleRows } from './sample';

/** Invented answers where a run has none: no charts, and nothing to download. */
export function SampleTabs({ questions }: { questions: readonly Question[] }) {
  const [rows] = useState(() => sampleRows(questions));
  return (
    <Tabs
      label="Sample data"
      items={[
        { key: 'matrix', label: 'Matrix View', children: <MatrixTable rows={rows} questions={questions} /> },
        { key: 'list', label: 'List View', children: <ListTable rows={listed(rows, questions)} /> },
        { key: 'questions', label: 'Survey Questions', children: <QuestionTable questions={questions} /> },
      ]}
    />
  );
}
