import type { Question, QuestionPayload, QuestionType } from '@/api/types';
import { isChoice, isScale } from '@/ui/questionTypes';

/** A question while it is being written. */
export interface Draft {
  text: string;
  type: QuestionType;
  required: boolean;
  options: string[];
  scaleLabels: string[];
  subQuestions: string[];
  min: number | null;
  max: number | null;
  minDescription: string;
  maxDescription: string;
}

const agreement = ['Strongly disagree', 'Disagree', 'Neutral', 'Agree', 'Strongly agree'];

export const blank: Draft = {
  text: '',
  type: 'SINGLE_CHOICE',
  required: true,
  options: ['', ''],
  scaleLabels: agreement,
  subQuestions: [],
  min: null,
  max: null,
  minDescription: '',
  maxDescription: '',
};

const noScale = { min: null, max: null, minDescription: '', maxDescription: '' };

/** Changing the type keeps the text and starts the rest as that type needs it. */
export function withType(draft: Draft, type: QuestionType): Draft {
  const { text, required } = draft;
  const kept = { ...blank, text, required, type };
  if (isChoice(type)) {
    const options = draft.options.length >= 2 ? draft.options : [...draft.options, '', ''].slice(0, 2);
    return { ...kept, ...noScale, options };
  }
  if (type === 'MATRIX') return { ...kept, options: [], scaleLabels: agreement };
  return { ...kept, ...noScale, options: [] };
}

export function draftOf(question: Question): Draft {
  return {
    text: question.text,
    type: question.questionType,
    required: question.required,
    options: question.options.map(({ text }) => text),
    scaleLabels: question.scale_labels,
    subQuestions: question.subQuestions,
    min: question.minValue ?? null,
    max: question.maxValue ?? null,
    minDescription: question.minDescription ?? '',
    maxDescription: question.maxDescription ?? '',
  };
}

/** What is wrong with it; `null` when it can be saved. */
export function problemOf(draft: Draft): string | null {
  if (draft.text.trim() === '') return 'Question text is required';
  if (
    isChoice(draft.type) &&
    (draft.options.length < 2 || draft.options.some((option) => option.trim() === ''))
  ) {
    return 'Choice questions must have at least 2 non-empty options';
  }
  if (draft.type === 'RANGE') {
    if (draft.min === null || draft.max === null) {
      return 'Range questions must have both minimum and maximum values';
    }
    if (draft.min >= draft.max) return 'Minimum value must be less than maximum value';
    if (draft.minDescription.trim() === '' || draft.maxDescription.trim() === '') {
      return 'Range questions must have descriptions for both minimum and maximum values';
    }
  }
  return null;
}

/** Both ends are set and the wrong way round. */
export function endsAreCrossed({ min, max }: Draft): boolean {
  return min !== null && max !== null && min >= max;
}

export function payloadOf(draft: Draft): QuestionPayload {
  const written = (items: string[]) => items.map((item) => item.trim()).filter((item) => item !== '');
  return {
    text: draft.text.trim(),
    type: draft.type,
    required: draft.required,
    options: isChoice(draft.type) ? written(draft.options) : [],
    scale_labels: draft.type === 'MATRIX' ? written(draft.scaleLabels) : [],
    sub_questions: draft.type === 'MATRIX' ? written(draft.subQuestions) : [],
    ...(isScale(draft.type) && {
      min_value: draft.min,
      max_value: draft.max,
      min_description: draft.minDescription.trim(),
      max_description: draft.maxDescription.trim(),
    }),
  };
}
