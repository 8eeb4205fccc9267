import { useDeferredValue, useState } from 'react';
import { Alert, Select } from 'antd';
import { useGet } from '@/api/hooks';
import { isNumber, typeName } from '@/api/questionTypes';
import type { QuestionSummary, RunAddress } from '@/api/types';
import { count } from '@/ui/format';
import { Loading } from '@/ui/Page';
import { Bars, HeatMap, Histogram } from './plots';

const none: QuestionSummary[] = [];
/** Not split. */
const WHOLE = { value: '', label: 'Nothing' };

/** A chart per question, split by an attribute of the twins where one is chosen. */
export default function Charts({ run }: { run: RunAddress }) {
  const [by, setBy] = useState(WHOLE.value);
  const { data, error } = useGet(
    '/api/surveys/{surveyId}/simulation/{simulationId}/summary',
    { params: { path: run, ...(by !== WHOLE.value && { query: { by } }) } },
    { keepPreviousData: true, revalidateOnFocus: false },
  );
  // Fifty charts take a while to draw; the page stays responsive in between.
  const questions = useDeferredValue(data?.questions ?? none, none);
  if (error !== undefined) return <Alert type="error" title="Failed to load simulation responses" />;
  if (data === undefined) return <Loading />;
  return (
    <div className="charts">
      <div>
        <label htmlFor="split-by">Split by</label>{' '}
        <Select
          id="split-by"
          className="split-by"
          value={by}
          options={[WHOLE, ...data.attributes.map((name) => ({ value: name, label: name }))]}
          onChange={setBy}
        />
      </div>
      {questions.map((question) => (
        <QuestionChart key={question.questionId} question={question} />
      ))}
    </div>
  );
}

/** The chart that fits the question's type, with its figures. */
function QuestionChart({ question }: { question: QuestionSummary }) {
  const { order, text, questionType, n, mean, sd } = question;
  return (
    <section className="chart" aria-label={`Question ${order}`}>
      <h2>
        Q{order}. {text}
      </h2>
      <p className="muted">
        {typeName(questionType)} · n = {count(n)}
        {mean != null && ` · mean ${mean.toFixed(2)}`}
        {sd != null && ` · sd ${sd.toFixed(2)}`}
      </p>
      <Plot question={question} />
      {question.groups.length > 0 && (
        <div className="chart-groups">
          {question.groups.map((group) => (
            <div key={group.value}>
              <h3>
                {group.value} <span className="muted">n = {count(group.n)}</span>
              </h3>
              {group.mean != null && <p>Mean {group.mean.toFixed(2)}</p>}
              <Bars counts={group.counts} />
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

function Plot({ question }: { question: QuestionSummary }) {
  const { questionType: type, counts, rows, bins, texts } = question;
  if (type === 'MATRIX') return <HeatMap rows={rows} />;
  if (isNumber(type)) return <Histogram bins={bins} />;
  if (type === 'TEXT_ENTRY' || type === 'OPENENDED') {
    return (
      <ul className="open-texts" tabIndex={0} aria-label="Answers">
        {texts.map((answer, index) => (
          <li key={index}>{answer}</li>
        ))}
      </ul>
    );
  }
  return <Bars counts={counts} />;
}
