import type { QuestionSummary, Tally } from '@/api/types';
import type { ChartKind } from '@/question-types/kind';
import { isAgreement } from '@/question-types/degrees';
import { questionTypes } from '@/question-types/questionTypes';

/** Figures of the answers of all twins, or of a group of them. */
export type Figures = Omit<
  QuestionSummary,
  'groups' | 'order' | 'questionId' | 'questionType' | 'scale' | 'text' | 'texts'
>;

/** All twins or a group of them, as one row, column or colour of a chart. */
export interface Part {
  name: string;
  figures: Figures;
  /** Set where the groups are few enough to have a colour each. */
  color?: string | undefined;
}

export const ALL = 'All twins';

export function kindOf(question: Pick<QuestionSummary, 'questionType' | 'counts' | 'scale'>): ChartKind {
  const { chart } = questionTypes[question.questionType];
  const labels = question.counts.map(({ value }) => value);
  return chart === 'choice' && isAgreement(question, labels) ? 'agreement' : chart;
}

/** A row of a matrix, an option that has a mean, or the one row of a choice between degrees. */
export interface Rating {
  row: string;
  n: number;
  mean: number | null;
  sd: number | null;
  counts: readonly Tally[];
}

/** The rows of a matrix; a choice between degrees is one row without a name, rated 1, 2, 3 .. */
export function ratingsOf({ rows, counts, n }: Figures): Rating[] {
  if (rows.length > 0) return rows.map((row) => ({ ...row, mean: row.mean ?? null, sd: row.sd ?? null }));
  return [{ row: '', n, counts, ...momentsOf(counts) }];
}

/** Mean and sample standard deviation of ranks: 1 for the first of the counts. */
export function momentsOf(counts: readonly Tally[]): { mean: number | null; sd: number | null } {
  const n = counts.reduce((sum, { count }) => sum + count, 0);
  if (n === 0) return { mean: null, sd: null };
  const mean = counts.reduce((sum, { count }, index) => sum + count * (index + 1), 0) / n;
  if (n === 1) return { mean, sd: null };
  const squares = counts.reduce((sum, { count }, index) => sum + count * (index + 1 - mean) ** 2, 0);
  return { mean, sd: Math.sqrt(squares / (n - 1)) };
}

/** The share of the last two of at least four degrees. */
export function topTwo(counts: readonly Tally[]): number | null {
  return counts.length < 4 ? null : counts.slice(-2).reduce((sum, { share }) => sum + share, 0);
}

/** How often an option was chosen. */
export const tallyOf = ({ counts }: Figures, option: string): Tally =>
  counts.find(({ value }) => value === option) ?? { value: option, count: 0, share: 0 };

/** How far the answers of a row reach to both sides of the middle of the scale, as shares. */
export function reach({ counts }: Rating): { left: number; right: number } {
  const middle = (counts.length - 1) / 2;
  const side = (sign: number) =>
    counts.reduce((sum, { share }, index) => {
      const from = Math.sign(index - middle) * sign;
      return sum + (from > 0 ? share : from === 0 ? share / 2 : 0);
    }, 0);
  return { left: side(-1), right: side(1) };
}
