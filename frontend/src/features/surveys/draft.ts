import { useState } from 'react';
import { useGet } from '@/api/hooks';
import { isChoice, isScale } from '@/api/questionTypes';
import type { Question, QuestionPayload, QuestionType } from '@/api/types';

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
  /** Not edited here, but kept. */
  placeholder?: string;
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

/** Where the parts of a draft are kept that another type has no use for; choices share theirs. */
export type TypeMemory = Map<QuestionType | 'choice', Draft>;

const memoryKey = (type: QuestionType) => (isChoice(type) ? 'choice' : type);

/** As {@link withType}, but a type that the question had before comes back as it was left. */
export function switchType(memory: TypeMemory, draft: Draft, type: QuestionType): Draft {
  memory.set(memoryKey(draft.type), draft);
  const before = memoryKey(draft.type) === memoryKey(type) ? undefined : memory.get(memoryKey(type));
  const { text, required } = draft;
  return before === undefined ? withType(draft, type) : { ...before, type, text, required };
}

export function draftOf(question: Question): Draft {
  return {
    ...(question.placeholder != null && { placeholder: question.placeholder }),
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
    ...(draft.placeholder !== undefined && { placeholder: draft.placeholder }),
    ...(isScale(draft.type) && {
      min_value: draft.min,
      max_value: draft.max,
      min_description: draft.minDescription.trim(),
      max_description: draft.maxDescription.trim(),
    }),
  };
}

/**
 * The draft of a question; `questionId` is `null` for a new one. Where the user's settings say so, it is kept in the
 * tab's `sessionStorage`, so that it outlives a closed dialog, a reload and a lost session.
 */
export function useDraft(
  { surveyId, questionId }: { surveyId: number; questionId: number | null },
  initial: Draft,
) {
  const key = `draft:${surveyId}:${questionId ?? 'new'}`;
  const [stored, setStored] = useState(() => read(key));
  const [draft, setDraft] = useState(stored ?? initial);
  const settings = useGet('/api/auth/settings', {}, { revalidateOnFocus: false, shouldRetryOnError: false });
  const autoSave = settings.data?.autoSave ?? true;

  const forget = () => sessionStorage.removeItem(key);
  return {
    draft,
    /** Whether it continues a draft of earlier. */
    resumed: stored !== null,
    write: (next: Draft) => {
      setDraft(next);
      if (autoSave) sessionStorage.setItem(key, JSON.stringify(next));
    },
    startOver: () => {
      forget();
      setStored(null);
      setDraft(initial);
    },
    /** For a draft that was saved or cancelled. */
    forget,
  };
}

function read(key: string): Draft | null {
  const stored = sessionStorage.getItem(key);
  return stored === null ? null : { ...blank, ...(JSON.parse(stored) as Draft) };
}
