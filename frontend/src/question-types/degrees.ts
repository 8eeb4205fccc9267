import type { QuestionSummary } from '@/api/types';
import { questionTypes } from './questionTypes';

/** The least and the most degrees that a choice is drawn with as a scale. */
const MIN_DEGREES = 3;
const MAX_DEGREES = 11;

/**
 * Whether the labels of a question are degrees of one scale with a middle. The question's stated scale says so; the labels
 * of a matrix are one unless it is stated that they are none. Of other questions without a stated scale the words decide.
 */
export function isAgreement(
  { questionType, scale }: Pick<QuestionSummary, 'questionType' | 'scale'>,
  labels: readonly string[],
): boolean {
  const { chart } = questionTypes[questionType];
  if (chart === 'agreement') return scale !== 'nominal';
  if (chart !== 'choice' || labels.length < MIN_DEGREES || labels.length > MAX_DEGREES) return false;
  return scale == null ? hasOppositeEnds(labels) : scale !== 'nominal';
}

/** Whether values have an order: by the stated scale of their question, or else by numbers and words in them. */
export function isOrdered(values: readonly string[], scale?: QuestionSummary['scale']): boolean {
  if (values.length < MIN_DEGREES) return false;
  if (scale != null) return scale !== 'nominal';
  const numbered = values.filter((value) => /\d/.test(value)).length;
  const graded = values.filter((value) => DEGREE.test(value)).length;
  return numbered > values.length / 2 || graded >= 2;
}

/** Whether a label says that somebody agrees. */
export const agrees = (label: string) => /\bagree\b/i.test(label) && !/disagree|\bnot\b/i.test(label);

/** Whether some of the labels agree and others disagree. */
export const hasAgreeing = (labels: readonly string[]) =>
  labels.some(agrees) && labels.some((label) => /disagree/i.test(label));

/** `Very unlikely .. Very likely`, where both ends are equally strong, or `Disagree .. Agree`. */
function hasOppositeEnds(labels: readonly string[]): boolean {
  const first = (label: string | undefined) => label?.trim().toLowerCase().split(/\s+/)[0] ?? '';
  const [low, high] = [first(labels[0]), first(labels.at(-1))];
  return (low === high && STRONG.has(low)) || hasAgreeing(labels);
}

const STRONG = new Set(
  'strongly completely totally fully very extremely highly definitely absolutely entirely much far'.split(
    ' ',
  ),
);

const DEGREE =
  /^(very|strongly|completely|extremely|less|more|at least|under|over|never|rarely|seldom|sometimes|often|always|daily|weekly|monthly|yearly|low|high|some college|postgrad)\b/i;
