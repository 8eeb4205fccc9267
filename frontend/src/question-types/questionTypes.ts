import type { QuestionType } from '@/api/types';

const names: Partial<Record<string, string>> = {
  SINGLE_CHOICE: 'Single Choice',
  MULTIPLE_CHOICE: 'Multiple Choice',
  MATRIX: 'Matrix Rating',
  SLIDER: 'Slider',
  TEXT_ENTRY: 'Text Entry',
  INFO: 'Text Only',
  CONSTANT_SUM: 'Constant Sum',
  RANK: 'Ranking',
  BEST_WORST: 'Best-Worst',
  MATRIX_MULTI: 'Matrix Multiple',
};

/** Any case; types without a name of their own are capitalised, with underscores turned to spaces. */
export function typeName(type: string): string {
  const words = type.toLowerCase().replaceAll('_', ' ');
  return names[type.toUpperCase()] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the question form offers. */
export const offered: readonly QuestionType[] = [
  'SINGLE_CHOICE',
  'MULTIPLE_CHOICE',
  'MATRIX',
  'SLIDER',
  'TEXT_ENTRY',
  'MATRIX_MULTI',
  'CONSTANT_SUM',
  'RANK',
  'BEST_WORST',
  'INFO',
];

export const isChoice = (type: QuestionType) => type === 'SINGLE_CHOICE' || type === 'MULTIPLE_CHOICE';
/** Its answer is made of options. */
export const hasOptions = (type: QuestionType) =>
  isChoice(type) || type === 'CONSTANT_SUM' || type === 'RANK' || type === 'BEST_WORST';
export const isMatrix = (type: QuestionType) => type === 'MATRIX' || type === 'MATRIX_MULTI';
/** It takes an answer, and so costs a credit. */
export const isAsked = (type: QuestionType) => type !== 'INFO';
export const isScale = (type: QuestionType) => type === 'SLIDER' || type === 'RANGE';
/** Answered with a number. */
export const isNumber = (type: QuestionType) => isScale(type) || type === 'NUMBER';
