import type { MatrixRow, Question, SimulationAnswer } from '@/api/types';
import { plainText } from '@/ui/piped';

type Cell = MatrixRow['answers'][number];

/** The words of a cell where no answer is or will be. */
const WITHOUT_ANSWER: Partial<Record<Cell['status'], string>> = {
  failed: 'failed',
  skipped: 'not shown',
  not_assigned: 'another arm',
};

/** The words of a cell for an answer. */
export const wordsOf = (cell: Cell | undefined): string =>
  (cell && WITHOUT_ANSWER[cell.status]) ?? cell?.answer ?? '–';

/** The ratings of a matrix question by the order of its sub-questions; `–` where there is none. */
export function ratingsOf(
  cell: Cell | undefined,
  { subQuestions }: Pick<Question, 'subQuestions'>,
): string[] {
  const value = cell?.answerValue;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return subQuestions.map((text) => {
      const given = value[text];
      return Array.isArray(given) ? given.join('; ') : given === undefined ? '–' : String(given);
    });
  }
  const parts = (cell?.answer ?? '').split(' | ');
  return subQuestions.map((_, place) => {
    const head = `Q${place + 1}: `;
    return parts.find((part) => part.startsWith(head))?.slice(head.length) ?? '–';
  });
}

/** A twin's answer to a question, as a dialog says it: one for each sub-question. */
export function answersTo(
  { text, subQuestions }: Pick<Question, 'text' | 'subQuestions'>,
  index: number,
  cell: Cell | undefined,
): { question: string; answer: string }[] {
  const question = `Q${index + 1}. ${plainText(text)}`;
  if (cell?.status !== 'answered' || subQuestions.length === 0) return [{ question, answer: wordsOf(cell) }];
  const ratings = ratingsOf(cell, { subQuestions });
  return subQuestions.map((part, place) => ({
    question: plainText(place === 0 ? `${question} ${part}` : part),
    answer: ratings[place] ?? '–',
  }));
}

/** The rows of the matrix, made of answers one by one; a question without an answer is open. */
export function rowsOf(
  answers: readonly SimulationAnswer[],
  questions: readonly Pick<Question, 'id'>[],
): MatrixRow[] {
  const places = new Map(questions.map(({ id }, place) => [id, place]));
  const rows = new Map<number, MatrixRow>();
  for (const { personaId, personaName, questionId, answer, answerValue } of answers) {
    const place = places.get(questionId);
    if (place === undefined) continue;
    const row: MatrixRow = rows.get(personaId) ?? {
      personaId,
      personaName,
      personaPid: '',
      attributes: {},
      answers: questions.map(({ id }) => ({ questionId: id, status: 'open' })),
    };
    rows.set(personaId, row);
    row.answers[place] = { questionId, status: 'answered', answer, answerValue };
  }
  return [...rows.values()];
}
