import type { Bin, QuestionSummary, QuestionType, Tally } from '@/api/types';
import type { Figures as ChartFigures } from '@/charts/figures';
import { agreementShades } from '@/charts/palette';
import { isMatrix, questionTypes } from '@/question-types/questionTypes';
import { count } from '@/ui/format';
import { plainText } from '@/ui/piped';

/** A slide of the wall: a question, or one row of a matrix. */
export interface Slide {
  /** A key that stays the same as long as the survey does. */
  key: string;
  /** 1-based place of the question in the survey. */
  order: number;
  /** Above the title: the question that a matrix asks of each row. */
  lead: string;
  title: string;
  picture: Picture;
}

/** The answers of a slide, and their shares. */
export interface AnswerParts {
  parts: readonly Tally[];
  /** The answers that agree with a statement. */
  agreeing: readonly string[];
  /** The answers are degrees of one scale, the highest first. */
  isScale: boolean;
}

export type Picture =
  /** Each twin gave one of these answers. */
  | ({ kind: 'parts' } & AnswerParts)
  /** Each twin gave any number of these answers. */
  | ({ kind: 'several' } & Pick<AnswerParts, 'parts' | 'agreeing'>)
  /** Each twin gave every option a number. */
  | { kind: 'means'; type: QuestionType; figures: ChartFigures }
  | { kind: 'number'; bins: readonly Bin[]; mean: number | null; sd: number | null }
  | { kind: 'texts'; texts: readonly string[] };

/** The target of a guess: the share of twins with one of some answers, in percent, or the mean. */
export interface Target {
  values: readonly string[];
  /** After `How many of 2,000 twins` and after `34 %`: `agree`, `say “Bus”`. */
  words: string;
}

type Answers = ChartFigures & { texts?: string[] };

export function slidesOf(questions: readonly QuestionSummary[]): Slide[] {
  return questions.flatMap((question) => {
    const { questionId, order, text, questionType, rows } = question;
    if (!isMatrix(questionType)) {
      const lead = questionTypes[questionType].slideLead ?? '';
      return [{ key: String(questionId), order, lead, title: text, picture: pictureOf(question, question) }];
    }
    return rows.map(({ row }, place) => ({
      key: `${questionId}/${place}`,
      order,
      lead: text,
      title: row,
      picture: pictureOf(question, question, place),
    }));
  });
}

/** Draws a slide's picture of a group of twins. */
export function pictureOfGroup(question: QuestionSummary, group: string, slide: Slide): Picture | undefined {
  const figures = question.groups.find(({ value }) => value === group);
  const place = slide.key.split('/')[1];
  return figures && pictureOf(question, figures, place === undefined ? 0 : Number(place));
}

/** Draws the question. Inserted texts are replaced by their names. */
function pictureOf(question: QuestionSummary, figures: Answers, row = 0): Picture {
  const picture = drawnOf(question, figures, row);
  if (picture.kind !== 'parts' && picture.kind !== 'several') return picture;
  return { ...picture, parts: picture.parts.map((part) => ({ ...part, value: plainText(part.value) })) };
}

function drawnOf(question: QuestionSummary, figures: Answers, row: number): Picture {
  const { questionType } = question;
  const counts = isMatrix(questionType) ? (figures.rows[row]?.counts ?? []) : figures.counts;
  switch (questionTypes[questionType].slide) {
    case 'parts':
      return { kind: 'parts', ...highestFirst(question, counts) };
    case 'several':
      return { kind: 'several', parts: counts, agreeing: question.agreeing.map(plainText) };
    case 'first places':
      return { kind: 'parts', parts: firstOf(figures), agreeing: [], isScale: false };
    case 'means':
      return { kind: 'means', type: questionType, figures };
    case 'texts':
      return { kind: 'texts', texts: figures.texts ?? [] };
    case 'numbers':
      return { kind: 'number', bins: figures.bins, mean: figures.mean ?? null, sd: figures.sd ?? null };
  }
}

/** How often each option stands first. */
const firstOf = ({ rows }: ChartFigures): Tally[] =>
  rows.map(({ row, counts }) => ({ ...(counts[0] ?? { count: 0, share: 0 }), value: row }));

/** The degrees of a scale begin at the left with the highest: the room guesses from there. */
function highestFirst(question: QuestionSummary, counts: readonly Tally[]): AnswerParts {
  const { hasDegrees, agreeing } = question;
  const beginsHighest = agreeing.includes(counts[0]?.value ?? '');
  return {
    parts: hasDegrees && !beginsHighest ? [...counts].reverse() : counts,
    agreeing: agreeing.map(plainText),
    isScale: hasDegrees,
  };
}

/**
 * Answers of which some agree and others do not are asked for all who agree, others for one answer: the first, or the chosen
 * one.
 */
export function targetOf(
  { parts, agreeing }: Pick<AnswerParts, 'parts' | 'agreeing'>,
  chosen?: string,
): Target {
  if (chosen === undefined && agreeing.length > 0 && agreeing.length < parts.length)
    return { values: agreeing, words: 'agree' };
  const value = chosen ?? parts[0]?.value ?? '';
  return { values: [value], words: `say “${value}”` };
}

/** The share of the target among the twins who answered, 0 to 1. */
export const shareOf = (parts: readonly Tally[], { values }: Target) =>
  parts.reduce((sum, { value, share }) => (values.includes(value) ? sum + share : sum), 0);

/** A share in whole percent. */
export const percent = (share: number) => Math.round(share * 100);

/** The ends of what is guessed: of a number the ends of its scale, else percent. */
export function rangeOf(picture: Picture): { min: number; max: number; step: number } {
  if (picture.kind !== 'number') return { min: 0, max: 100, step: 1 };
  const min = picture.bins[0]?.from ?? 0;
  const max = picture.bins.at(-1)?.to ?? 1;
  return { min, max, step: max - min <= 20 ? 0.1 : 1 };
}

/** How far a guess was off: `21 points too many`, `4.2 too low`, `exactly right`. */
export function verdictOn(guess: number, truth: number, unit: 'points' | 'scale'): string {
  const off =
    unit === 'points' ? Math.round(guess) - Math.round(truth) : Math.round((guess - truth) * 10) / 10;
  if (off === 0) return 'exactly right';
  const size = Math.abs(off);
  if (unit === 'scale') return `${size} too ${off > 0 ? 'high' : 'low'}`;
  return `${count(size)} ${size === 1 ? 'point' : 'points'} too ${off > 0 ? 'many' : 'few'}`;
}

/** Degrees of a scale that have a shade each. */
const DEGREES = 5;
const HUES = 6;

/** A colour for each answer: from teal to rust for the degrees of a scale, else one hue after the other. */
export function colorsOf({ parts, isScale }: AnswerParts): string[] {
  if (isScale && parts.length <= DEGREES)
    return agreementShades(parts.length)
      .map(({ fill }) => fill)
      .reverse();
  return parts.map((_, place) => `var(--chart-${(place % HUES) + 1})`);
}
