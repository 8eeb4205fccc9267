import type { MatrixRow, Question } from '@/api/types';
import { questionTypes } from '@/question-types/questionTypes';
import { plainText } from '@/ui/piped';
import type { ListRow } from './ListView';

/** Personas of the sample. */
const PERSONAS = 5;

/** Invented answers for a run that has none; the page says that they are invented. */
export function sampleRows(questions: readonly Question[]): MatrixRow[] {
  return Array.from({ length: PERSONAS }, (_, index) => ({
    personaId: index + 1,
    personaPid: '',
    personaName: `Sample ${index + 1}`,
    attributes: {},
    answers: questions.map((question) => {
      const answer = questionTypes[question.questionType].sample(question);
      return { questionId: question.id, status: 'answered', answer, answerValue: answer };
    }),
  }));
}

/** Lists the answers of rows one by one. */
export function listed(rows: readonly MatrixRow[], questions: readonly Question[]): ListRow[] {
  return rows.flatMap(({ personaId, personaName, answers }) =>
    questions.map((question, index) => ({
      personaId,
      personaName,
      questionId: question.id,
      questionText: plainText(question.text),
      questionType: question.questionType,
      availableOptions: question.options.map(({ text }) => text),
      answer: answers[index]?.answer ?? null,
    })),
  );
}
