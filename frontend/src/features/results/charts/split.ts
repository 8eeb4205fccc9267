import type { QuestionSummary } from '@/api/types';
import type { components } from '@/api/schema';
import { questionOf } from '../filter';
import type { Part } from './figures';
import { groupColors, NOT_STATED } from './palette';

export type Summary = components['schemas']['ResponsesSummary'];

/** What the answers are split by. */
export interface Split {
  /** The attribute, or the question with its number. */
  name: string;
  /** Set where it is an answer to a question. */
  questionId: number | null;
  /** Every twin is in one group at most. */
  exclusive: boolean;
  /** Of every value, in the codebook's order or the question's, whether anybody has it or not. */
  colors: ReadonlyMap<string, string>;
}

/** What a summary is split by; null where it is whole. */
export function splitOf({ by, attributeValues, questions }: Summary): Split | null {
  if (by == null) return null;
  const questionId = questionOf(by);
  if (questionId === null) {
    const values = attributeValues.find(({ name }) => name === by)?.values ?? [];
    return { name: by, questionId, exclusive: true, colors: groupColors(values.map(({ value }) => value)) };
  }
  const question = questions.find((each) => each.questionId === questionId);
  return {
    name: question === undefined ? by : `Q${question.order}`,
    questionId,
    exclusive: question?.questionType !== 'MULTIPLE_CHOICE',
    colors: groupColors(question?.counts.map(({ value }) => value) ?? []),
  };
}

/** A question's groups; none where it is the one that makes them. Twins without a value are left out where they are none. */
export function partsOf(question: QuestionSummary, split: Split | null): Part[] {
  if (split === null || split.questionId === question.questionId) return [];
  return question.groups
    .filter(({ value, n }) => value !== NOT_STATED || n > 0)
    .map((figures) => ({ name: figures.value, figures, color: split.colors.get(figures.value) }));
}
