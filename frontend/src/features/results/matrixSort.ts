import type { MatrixRow, Question } from '@/api/types';
import { isNumber, questionTypes } from '@/question-types/questionTypes';
import { ratingsOf, wordsOf } from './matrix';

/** How Matrix View is sorted: by `persona`, a question's id, or one and a place among its sub-questions (`32-0`). */
export interface MatrixSort {
  column: string;
  down: boolean;
}

export const PERSONA = 'persona';

/** Compares texts, with numbers in them by their size: Twin 9 stands before Twin 10. */
const collator = new Intl.Collator(undefined, { numeric: true });

/** Sorted by one column; rows that are equal there keep their order, and those without an answer come last. */
export function sorted(
  rows: readonly MatrixRow[],
  questions: readonly Question[],
  { column, down }: MatrixSort,
): readonly MatrixRow[] {
  const value = valueIn(column, questions);
  if (value === null) return rows;
  const valued = rows.map((row) => ({ row, value: value(row) }));
  const answered = valued.filter((each) => each.value !== null);
  const blank = valued.filter((each) => each.value === null);
  answered.sort((a, b) => (down ? -1 : 1) * compared(a.value, b.value));
  return [...answered, ...blank].map(({ row }) => row);
}

const compared = (a: string | number | null, b: string | number | null) =>
  typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));

/** The sort key of a row: the size of a number, the place of a choice among the options, else the text. */
function valueIn(
  column: string,
  questions: readonly Question[],
): ((row: MatrixRow) => string | number | null) | null {
  if (column === PERSONA) return ({ personaName, personaId }) => personaName || String(personaId);
  const [id, part] = column.split('-').map(Number);
  const place = questions.findIndex((question) => question.id === id);
  const question = questions[place];
  if (question === undefined) return null;
  const { questionType, subQuestions } = question;
  const { isSeveral, isChoice, parts } = questionTypes[questionType];
  const options = isChoice ? question.options.map(({ text }) => text) : null;
  const scale = isSeveral ? null : parts === 'matrix' ? question.scale_labels : options;
  return ({ answers }) => {
    const cell = answers[place];
    if (cell?.status !== 'answered') return null;
    const words = subQuestions.length > 0 ? (ratingsOf(cell, question)[part ?? 0] ?? '–') : wordsOf(cell);
    if (words === '–') return null;
    if (isNumber(questionType)) return Number(words);
    if (scale === null) return words;
    return scale.includes(words) ? scale.indexOf(words) : scale.length;
  };
}
