import type { QuestionType } from '@/api/types';
import { bestWorst } from './bestWorst';
import { boolean } from './boolean';
import { constantSum } from './constantSum';
import { info } from './info';
import type { QuestionKind } from './kind';
import { matrix } from './matrix';
import { matrixMulti } from './matrixMulti';
import { multipleChoice } from './multipleChoice';
import { number } from './number';
import { openEnded } from './openEnded';
import { range } from './range';
import { rank } from './rank';
import { singleChoice } from './singleChoice';
import { slider } from './slider';
import { textEntry } from './textEntry';

/** Every question type, in the order in which the form offers them. */
export const questionTypes = {
  SINGLE_CHOICE: singleChoice,
  MULTIPLE_CHOICE: multipleChoice,
  MATRIX: matrix,
  SLIDER: slider,
  TEXT_ENTRY: textEntry,
  MATRIX_MULTI: matrixMulti,
  CONSTANT_SUM: constantSum,
  RANK: rank,
  BEST_WORST: bestWorst,
  INFO: info,
  RANGE: range,
  NUMBER: number,
  BOOLEAN: boolean,
  OPENENDED: openEnded,
} satisfies Record<QuestionType, QuestionKind>;

const types = Object.keys(questionTypes) as QuestionType[];

/** The types that the question form offers. */
export const offered: readonly QuestionType[] = types.filter((type) => questionTypes[type].isOffered);

/** The name of a type in any case; an unknown one is capitalised, with underscores turned to spaces. */
export function typeName(type: string): string {
  const known = types.find((one) => one === type.toUpperCase());
  if (known !== undefined) return questionTypes[known].name;
  const words = type.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const isChoice = (type: QuestionType) => questionTypes[type].isChoice;
/** Its answer is made of options. */
export const hasOptions = (type: QuestionType) => questionTypes[type].parts === 'options';
export const isMatrix = (type: QuestionType) => questionTypes[type].parts === 'matrix';
/** Whether the type takes an answer, and so costs a credit. */
export const isAsked = (type: QuestionType) => questionTypes[type].isAsked;
export const isScale = (type: QuestionType) => questionTypes[type].parts === 'ends';
/** Answered with a number. */
export const isNumber = (type: QuestionType) => questionTypes[type].isNumber;
