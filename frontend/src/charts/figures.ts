import type { QuestionSummary, Tally } from '@/api/types';
import type { ChartKind } from '@/question-types/kind';
import { questionTypes } from '@/question-types/questionTypes';

/** Figures of the answers of all twins, or of a group of them. */
export type Figures = Omit<
  QuestionSummary,
  | 'groups'
  | 'order'
  | 'questionId'
  | 'questionType'
  | 'scale'
  | 'hasDegrees'
  | 'agreeing'
  | 'text'
  | 'texts'
  | 'tests'
  | 'differences'
>;

/** All twins or a group of them, as one row, column or colour of a chart. */
export interface Part {
  name: string;
  figures: Figures;
  /** Set where the groups are few enough to have a colour each. */
  color?: string | undefined;
}

export const ALL = 'All twins';

/** A choice between degrees, which the server rates, is drawn about its middle. */
export function kindOf({ questionType, rows }: Pick<QuestionSummary, 'questionType' | 'rows'>): ChartKind {
  const { chart } = questionTypes[questionType];
  return chart === 'choice' && rows.length > 0 ? 'agreement' : chart;
}

/** A row of a matrix, an option that has a mean, or the one row of a choice between degrees, which has no name. */
export type Rating = QuestionSummary['rows'][number];

export const ratingsOf = ({ rows }: Figures): readonly Rating[] => rows;

/** A row that nobody rated. */
export const emptyRating = (row: string): Rating => ({ row, n: 0, counts: [] });

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
