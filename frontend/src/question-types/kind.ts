import type { ReactNode } from 'react';
import type { Condition, QuestionLogic } from '@/api/design';
import type { Question } from '@/api/types';
import type { Draft } from './draft';

/** How answers are drawn; a choice between degrees of agreement is drawn as agreement. */
export type ChartKind = 'choice' | 'several' | 'agreement' | 'means' | 'numbers' | 'texts';

/** The picture of a question on the wall. */
export type SlideKind = 'parts' | 'first places' | 'several' | 'means' | 'numbers' | 'texts';

/** The kind of value that a condition reads in an answer, or in one row of it. */
export type Reading = 'number' | 'boolean' | 'option' | 'options' | 'degree' | 'rank' | 'text';

/** Props of a question as a person would see it. With a `name` it can be answered; without one it is a picture. */
export interface Answerable {
  draft: Draft;
  name: string | undefined;
}

/** The meaning of the mean of an option. */
export interface Measure {
  /** Below a chart's title. */
  words: string;
  /** Ranks: 1 is the best, and bars would say the opposite. */
  lowIsBest: boolean;
  /** The ends of all that it can be; null where the numbers decide. */
  ends: (options: number) => [number, number] | null;
  /** Note beside the mean, e.g. `61 % first`. `share` writes the share of a position. */
  note: (share: (place: number) => string) => string;
}

/**
 * All that the pages know of a question type. A new type is a file with one of these and a line in `questionTypes.ts`;
 * nothing else names it.
 */
export interface QuestionKind {
  /** Name on screen. */
  name: string;
  Icon: () => ReactNode;
  /** Whether the form offers it for new questions. */
  isOffered: boolean;
  /** A sentence below the form's fields on what a twin does with it; missing where the fields say so. */
  hint?: string;
  /** Whether it takes an answer, and so costs a credit. */
  isAsked: boolean;
  /** The parts beside its text: options, rows and labels, or two ends of a scale. */
  parts: 'options' | 'matrix' | 'ends' | 'none';
  /** Whether twins choose among its options. */
  isChoice: boolean;
  /** Whether the answer is a number. */
  isNumber: boolean;
  /** Whether a twin may choose several answers, or several labels in a row. */
  isSeveral: boolean;
  /** Whether the numbers of its options add up to a total. */
  hasTotal: boolean;
  /** The parts that a draft starts with when it becomes one of the type. */
  start: (draft: Draft) => Partial<Draft>;
  /** Finds the problem of a draft, beside its text and name; `null` when it can be saved. */
  problemOf: (draft: Draft) => string | null;
  /** Presets that surveys use over and over: the name of the button, and what it changes in a draft. */
  presets: readonly (readonly [name: string, part: Partial<Draft>])[];
  /** A line that says what can be answered. */
  summaryOf: (question: Question) => string;
  /** The fields of the answer, as a person would see them. */
  Preview: (props: Answerable) => ReactNode;
  /** An invented answer, as tables show one. */
  sample: (question: Question) => string;
  /** The parts of a question's logic that the type has, beside the order and the conditions of what it offers. */
  logic: readonly (keyof QuestionLogic)[];
  /** Tells what a condition reads in the answer, or in one of its rows, counted from 1. */
  reading: (row: number | null) => Reading;
  /** The rows that a condition can read one of. */
  readRows: (question: Question) => string[];
  /** Whether a condition can read the answer as a whole. */
  isReadWhole: boolean;
  /** The condition under which a survey's screening ends for a twin; missing where the type cannot screen. */
  screening?: (question: Question) => Condition | null;
  chart: ChartKind;
  /** The meaning of the means of its options; for charts of means only. */
  measure?: Measure;
  slide: SlideKind;
  /** Above a slide that shows one part of the answers. */
  slideLead?: string;
  /** The words in brackets that choose the type in a plain-text survey, as a regular expression. */
  task?: string;
}
