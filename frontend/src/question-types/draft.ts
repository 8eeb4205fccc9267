import type { QuestionLogic } from '@/api/design';
import type { Question, QuestionPayload, QuestionType } from '@/api/types';
import { logicOf, withTexts } from './logic';

/** A question while it is being written. */
export interface Draft {
  text: string;
  /** The name in files for statistics programs; made from the text where it is missing or empty. */
  name?: string;
  type: QuestionType;
  required: boolean;
  options: string[];
  scaleLabels: string[];
  subQuestions: string[];
  min: number | null;
  max: number | null;
  minDescription: string;
  maxDescription: string;
  /** The total of a constant sum; 100 where it is missing. */
  total?: number | null;
  /** The logic that the design reads. */
  logic?: QuestionLogic;
  /** Not edited here, but kept. */
  placeholder?: string;
}

/** The labels that a matrix starts with. */
export const agreement = ['Strongly disagree', 'Disagree', 'Neutral', 'Agree', 'Strongly agree'];

export const BLANK_DRAFT: Draft = {
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

/** Changes a {@link Draft}. Logic about options and rows follows their texts. */
export function withPart(draft: Draft, part: Partial<Draft>): Draft {
  const lists = ['options', 'scaleLabels', 'subQuestions'] as const;
  const logic = lists.reduce(
    (logic, list) => (part[list] === undefined ? logic : withTexts(logic, draft[list], part[list])),
    draft.logic,
  );
  return { ...draft, ...(logic !== undefined && { logic }), ...part };
}

export function draftOf(question: Question): Draft {
  const logic = logicOf(question);
  return {
    ...(logic !== null && { logic }),
    ...(question.placeholder != null && { placeholder: question.placeholder }),
    text: question.text,
    name: question.name,
    type: question.questionType,
    required: question.required,
    options: question.options.map(({ text }) => text),
    scaleLabels: question.scale_labels,
    subQuestions: question.subQuestions,
    min: question.minValue ?? null,
    max: question.maxValue ?? null,
    minDescription: question.minDescription ?? '',
    maxDescription: question.maxDescription ?? '',
    ...(question.total != null && { total: question.total }),
  };
}

/** A question that is only written so far. */
export function draftOfPayload(payload: QuestionPayload): Draft {
  const number = (value: QuestionPayload['min_value']) =>
    value == null || value === '' ? null : Number(value);
  return {
    ...BLANK_DRAFT,
    ...(payload.name != null && { name: payload.name }),
    text: payload.text,
    type: payload.type,
    required: payload.required ?? true,
    options: payload.options ?? [],
    scaleLabels: payload.scale_labels ?? [],
    subQuestions: payload.sub_questions ?? [],
    min: number(payload.min_value),
    max: number(payload.max_value),
    minDescription: payload.min_description ?? '',
    maxDescription: payload.max_description ?? '',
    ...(payload.total != null && { total: number(payload.total) }),
  };
}

/** Whether it can be a question's name; an empty one is made. */
export const isName = (name = '') => /^([a-z][a-z0-9_.]{0,62})?$/i.test(name.trim());

/** Both ends are set and the wrong way round. */
export function endsAreCrossed({ min, max }: Draft): boolean {
  return min !== null && max !== null && min >= max;
}
