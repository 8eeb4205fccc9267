import type { Question } from '@/api/types';
import { agreement, type Draft } from './draft';
import type { QuestionKind } from './kind';

/** The items of a list. Empty lines at its end are none: there the next item is typed. */
const withoutEmptyEnd = (texts: string[]) =>
  texts.slice(0, texts.findLastIndex((text) => text.trim() !== '') + 1);

export function areTooFew(texts: string[]): boolean {
  const items = withoutEmptyEnd(texts);
  return items.length < 2 || items.some((text) => text.trim() === '');
}

/** Says which text a list has twice; `null` for none. */
export function repetitionIn(texts: string[]): string | null {
  const twice = texts
    .map((text) => text.trim())
    .find((text, index, all) => text !== '' && all.indexOf(text) < index);
  return twice === undefined ? null : `“${twice}” appears twice`;
}

export const optionsOf = ({ options }: Question): string[] => options.map(({ text }) => text);

/** The defaults of all types. */
const common = {
  isOffered: true,
  isAsked: true,
  isChoice: false,
  isNumber: false,
  isSeveral: false,
  hasTotal: false,
  presets: [],
  logic: [],
  readRows: () => [],
  isReadWhole: true,
} satisfies Partial<QuestionKind>;

/** The defaults of types with options. */
export const ofOptions = {
  ...common,
  parts: 'options',
  start: ({ options }) => ({
    options: options.length >= 2 ? options : [...options, '', ''].slice(0, 2),
  }),
  summaryOf: (question) => optionsOf(question).join(' · '),
} as const satisfies Partial<QuestionKind>;

/** Finds the problem of the options of questions that are called `name`. */
export function problemOfOptions(name: string, { options }: Draft): string | null {
  return areTooFew(options)
    ? `${name} questions must have at least 2 non-empty options`
    : repetitionIn(options);
}

/** The defaults of types with rows and labels. */
export const ofMatrix = {
  ...common,
  parts: 'matrix',
  start: () => ({ options: [], scaleLabels: agreement }),
  problemOf: ({ scaleLabels, subQuestions }) => repetitionIn(scaleLabels) ?? repetitionIn(subQuestions),
  summaryOf: ({ subQuestions, scale_labels: labels }) =>
    `Sub-questions: ${subQuestions.length} · ${labels.join(' / ')}`,
  sample: ({ subQuestions, scale_labels: labels }) =>
    (subQuestions.length === 0 ? [''] : subQuestions)
      .map((_, row) => `Q${row + 1}: ${pick(labels)}`)
      .join(' | '),
  readRows: ({ subQuestions }) => subQuestions,
} as const satisfies Partial<QuestionKind>;

const withoutParts = { start: () => ({ options: [] }), problemOf: () => null } as const;

/** The defaults of types with two ends of a scale. */
export const ofEnds = {
  ...common,
  ...withoutParts,
  parts: 'ends',
  isNumber: true,
  summaryOf: ({ minValue, maxValue, minDescription, maxDescription }) => {
    const ends = [minDescription, maxDescription].filter(Boolean).join(' to ');
    return `Range: ${minValue ?? ''} to ${maxValue ?? ''}${ends === '' ? '' : ` (${ends})`}`;
  },
  sample: sampleNumber,
  logic: ['check', 'scale', 'reverse', 'desirable'],
  reading: () => 'number',
  chart: 'numbers',
  slide: 'numbers',
} as const satisfies Partial<QuestionKind>;

/** The defaults of types without parts. */
export const ofNone = { ...common, ...withoutParts, parts: 'none' } as const satisfies Partial<QuestionKind>;

/** The defaults of types that are answered with words. */
export const ofWords = {
  ...ofNone,
  summaryOf: () => 'A free text',
  sample: () => 'Sample answer',
  reading: () => 'text',
  chart: 'texts',
  slide: 'texts',
} as const satisfies Partial<QuestionKind>;

export function sampleNumber({ minValue, maxValue }: Question): string {
  const [low, high] = [minValue ?? 0, maxValue ?? 100];
  return String(Math.round(low + Math.random() * (high - low)));
}

/** One of them by chance; an empty text for none. */
export const pick = (items: readonly string[]): string =>
  items[Math.floor(Math.random() * items.length)] ?? '';
