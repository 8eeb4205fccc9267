import { useDeferredValue, useState } from 'react';
import { useGet } from '@/api/hooks';
import type { QuestionSummary, RunAddress } from '@/api/types';
import { Banner } from '@/ui/Banner';
import { Loading } from '@/ui/Loading';
import { Select } from '@/ui/Select';
import { QuestionChart } from './QuestionChart';

const none: QuestionSummary[] = [];
const WHOLE = { value: '', label: 'Nothing' };

/** A chart per question, split by an attribute of the twins where one is chosen. */
export default function Charts({ run }: { run: RunAddress }) {
  const [by, setBy] = useState(WHOLE.value);
  const { data, error } = useGet(
    '/api/surveys/{surveyId}/simulation/{simulationId}/summary',
    { path: run, ...(by !== WHOLE.value && { query: { by } }) },
    { keepPreviousData: true, revalidateOnFocus: false },
  );
  // Fifty charts take a while to draw: in between, the page goes on answering its user.
  const questions = useDeferredValue(data?.questions ?? none, none);
  if (error !== undefined) return <Banner type="error">Failed to load simulation responses</Banner>;
  if (data === undefined) return <Loading />;
  return (
    <div className="charts">
      <label className="split">
        Split by{' '}
        <Select
          value={by}
          options={[WHOLE, ...data.attributes.map((name) => ({ value: name, label: name }))]}
          onChange={setBy}
        />
      </label>
      {questions.map((question) => (
        <QuestionChart key={question.questionId} question={question} />
      ))}
    </div>
  );
}
