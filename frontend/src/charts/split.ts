import type { components } from '@/api/schema';
import type { Bin, QuestionSummary } from '@/api/types';
import { isMatrix, questionTypes } from '@/question-types/questionTypes';
import { plainText, type FieldTexts } from '@/ui/piped';
import { byQuestion, POSITION, questionOf, rowOf } from './filter';
import { kindOf, type Part } from './figures';
import { groupColors, NOT_STATED } from './palette';

export type Summary = components['schemas']['ResponsesSummary'];

/** Answers that divide the twins into groups. */
export interface Variable {
  /** `question:3`, `question:4:row:2`. */
  by: string;
  /** The row of a matrix; empty for other types. */
  row: string;
  /** Values in the question's order. */
  values: string[];
}

/** The server's name of the interval, with every digit. */
const intervalName = ({ from, to }: Bin) => (from === to ? String(from) : `${from} to ${to}`);

/**
 * The variables that a question offers for splitting: each row of a matrix, the intervals of numbers; none for free text
 * and answers of several numbers.
 */
export function variablesOf(
  question: Pick<QuestionSummary, 'questionId' | 'questionType' | 'scale' | 'counts' | 'rows' | 'bins'>,
): Variable[] {
  const { questionId, questionType, counts, rows, bins } = question;
  const labels = (all: readonly { value: string }[]) => all.map(({ value }) => value);
  if (isMatrix(questionType))
    return rows.map((each, place) => ({
      by: byQuestion(questionId, place + 1),
      row: each.row,
      values: labels(each.counts),
    }));
  const kind = kindOf(question);
  if (kind === 'texts' || kind === 'means') return [];
  const values = kind === 'numbers' ? bins.map(intervalName) : labels(counts);
  return [{ by: byQuestion(questionId), row: '', values }];
}

/** A split of all charts of a page. */
export interface Split {
  /** The attribute, or the question with its number. */
  name: string;
  /** Set where it is an answer to a question. */
  questionId: number | null;
  /** The row of a matrix that makes the groups. */
  row?: string;
  /** Every twin is in one group at most. */
  exclusive: boolean;
  /** The field values that each arm sets, by the name of the arm. */
  armTexts?: Readonly<Record<string, FieldTexts>>;
  /** The colour of every value, in the codebook's order or the question's, whether anybody has it or not. */
  colors: ReadonlyMap<string, string>;
}

/** The split of a summary; null where it is whole. */
export function splitOf({ by, attributeValues, questions, groups, armTexts }: Summary): Split | null {
  if (by == null) return null;
  if (by === POSITION)
    return {
      name: 'place in the block',
      questionId: null,
      exclusive: true,
      colors: groupColors(groups.map(({ value }) => value)),
    };
  const questionId = questionOf(by);
  if (questionId === null) {
    const values = attributeValues.find(({ name }) => name === by)?.values ?? [];
    return {
      name: by,
      questionId,
      exclusive: true,
      colors: groupColors(values.map(({ value }) => value)),
      ...(armTexts !== undefined && { armTexts }),
    };
  }
  const question = questions.find((each) => each.questionId === questionId);
  const variable = question && variablesOf(question).find((each) => each.by === by);
  const row = variable?.row ?? '';
  return {
    name: question === undefined ? by : plainText([`Q${question.order}`, row].filter(Boolean).join(' ')),
    questionId,
    ...(rowOf(by) !== null && { row }),
    exclusive: question === undefined || !questionTypes[question.questionType].isSeveral,
    colors: groupColors(variable?.values ?? [], question?.scale),
  };
}

/** A question's groups; none where it makes them itself; the rows of a matrix are split by one of them. Twins without a value are left out where they are none. */
export function partsOf(question: QuestionSummary, split: Split | null): Part[] {
  const own = split?.questionId === question.questionId;
  if (split === null || (own && (split.row === undefined || question.rows.length < 2))) return [];
  return question.groups
    .filter(({ value, n }) => value !== NOT_STATED || n > 0)
    .map((figures) => ({ name: figures.value, figures, color: split.colors.get(figures.value) }));
}
