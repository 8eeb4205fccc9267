import type { QuestionSummary } from '@/api/types';
import { count } from '@/ui/format';
import { isNumber, typeName } from '@/ui/questionTypes';
import { Bars } from './Bars';
import { HeatMap } from './HeatMap';
import { Histogram } from './Histogram';

/** The chart that fits the question's type, with its figures. */
export function QuestionChart({ question }: { question: QuestionSummary }) {
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
      <Body question={question} />
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

function Body({ question }: { question: QuestionSummary }) {
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
