import type { MatrixRow, Question } from '@/api/types';
import { answersTo } from './matrix';
import { nameOf } from './TwinAnswers';

/** A page of the matrix on paper, however many columns it has: twin by twin, question by question. */
export function PrintedMatrix({
  rows,
  questions,
}: {
  rows: readonly MatrixRow[];
  questions: readonly Question[];
}) {
  return (
    <div className="paper-only printed-matrix">
      {rows.map((row) => (
        <section key={row.personaId}>
          <h3>{nameOf(row)}</h3>
          <dl>
            {questions
              .flatMap((question, index) => answersTo(question, index, row.answers[index]))
              .map(({ question, answer }, place) => (
                <div key={place}>
                  <dt>{question}</dt>
                  <dd>{answer}</dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
