import { useState } from 'react';
import type { QuestionLogic } from '@/api/design';
import { useGet } from '@/api/hooks';
import { sessionEntry, type Entry } from '@/api/kept';
import type { Question, QuestionPayload, QuestionType } from '@/api/types';
import { hasOptions, isMatrix, isScale } from './questionTypes';
import { logicOf, logicToSend, withTexts } from './logic';

/** A question while it is being written. */
export interface Draft {
  text: string;
  /** What files for statistics programs call it; made from the text where it is missing or empty. */
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
  /** Of a constant sum; 100 where it is missing. */
  total?: number | null;
  /** What the design reads of it. */
  logic?: QuestionLogic;
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
  const kept = {
    ...blank,
    ...lasting(draft),
    ...(memoryKey(draft.type) === memoryKey(type) &&
      draft.logic !== undefined && { logic: logicFor(type, draft.logic) }),
    type,
  };
  if (hasOptions(type)) {
    const options = draft.options.length >= 2 ? draft.options : [...draft.options, '', ''].slice(0, 2);
    return { ...kept, ...noScale, options };
  }
  if (type === 'MATRIX') return { ...kept, options: [], scaleLabels: agreement };
  if (type === 'MATRIX_MULTI') return { ...kept, options: [], scaleLabels: ['', ''] };
  return { ...kept, ...noScale, options: [] };
}

/** Only of a multiple choice can an option exclude others. */
const logicFor = (type: QuestionType, { exclusive, ...logic }: QuestionLogic): QuestionLogic =>
  type === 'MULTIPLE_CHOICE' && exclusive !== undefined ? { ...logic, exclusive } : logic;

/** As {@link Draft}, changed: what its logic says of options and rows follows their texts. */
export function withPart(draft: Draft, part: Partial<Draft>): Draft {
  const lists = ['options', 'scaleLabels', 'subQuestions'] as const;
  const logic = lists.reduce(
    (logic, list) => (part[list] === undefined ? logic : withTexts(logic, draft[list], part[list])),
    draft.logic,
  );
  return { ...draft, ...(logic !== undefined && { logic }), ...part };
}

/** Where the parts of a draft are kept that another type has no use for; choices share theirs. */
export type TypeMemory = Map<QuestionType | 'choice', Draft>;

const memoryKey = (type: QuestionType) => (hasOptions(type) ? 'choice' : type);

/** As {@link withType}, but a type that the question had before comes back as it was left. */
export function switchType(memory: TypeMemory, draft: Draft, type: QuestionType): Draft {
  memory.set(memoryKey(draft.type), draft);
  const before = memoryKey(draft.type) === memoryKey(type) ? undefined : memory.get(memoryKey(type));
  return before === undefined ? withType(draft, type) : { ...before, type, ...lasting(draft) };
}

/** What no type changes. */
const lasting = ({ text, required, name, logic }: Draft) => ({
  text,
  required,
  ...(name !== undefined && { name }),
  ...(logic?.showIf !== undefined && { logic: { showIf: logic.showIf } }),
});

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
    ...blank,
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

/** The items of a list. Empty lines at its end are none: there the next item is typed. */
const withoutEmptyEnd = (texts: string[]) =>
  texts.slice(0, texts.findLastIndex((text) => text.trim() !== '') + 1);

/** What is wrong with it; `null` when it can be saved. */
export function problemOf(draft: Draft): string | null {
  if (draft.text.trim() === '') return 'Question text is required';
  if (!isName(draft.name))
    return 'A name begins with a letter and has only letters a-z, digits, _ and . after it';
  const tooFew = (texts: string[]) => {
    const items = withoutEmptyEnd(texts);
    return items.length < 2 || items.some((text) => text.trim() === '');
  };
  if (hasOptions(draft.type) && tooFew(draft.options)) {
    return `${optioned[draft.type] ?? 'Choice'} questions must have at least 2 non-empty options`;
  }
  if (draft.type === 'MATRIX_MULTI' && tooFew(draft.scaleLabels)) {
    return 'Matrix questions must have at least 2 non-empty scale labels';
  }
  if (draft.type === 'CONSTANT_SUM' && draft.total != null && draft.total <= 0) {
    return 'The total must be above 0';
  }
  const twice = (texts: string[]) =>
    texts.map((text) => text.trim()).find((text, index, all) => text !== '' && all.indexOf(text) < index);
  const again = hasOptions(draft.type)
    ? twice(draft.options)
    : isMatrix(draft.type)
      ? (twice(draft.scaleLabels) ?? twice(draft.subQuestions))
      : undefined;
  if (again !== undefined) return `“${again}” stands there twice`;
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

/** What questions with options are called, other than choices. */
const optioned: Partial<Record<QuestionType, string>> = {
  CONSTANT_SUM: 'Constant sum',
  RANK: 'Ranking',
  BEST_WORST: 'Best-worst',
};

/** Whether it can be a question's name; an empty one is made. */
export const isName = (name = '') => /^([a-z][a-z0-9_.]{0,62})?$/i.test(name.trim());

/** Both ends are set and the wrong way round. */
export function endsAreCrossed({ min, max }: Draft): boolean {
  return min !== null && max !== null && min >= max;
}

export function payloadOf(draft: Draft): QuestionPayload {
  const written = (items: string[]) => items.map((item) => item.trim()).filter((item) => item !== '');
  return {
    text: draft.text.trim(),
    ...(draft.name !== undefined && { name: draft.name.trim() }),
    type: draft.type,
    required: draft.required,
    options: hasOptions(draft.type) ? written(draft.options) : [],
    scale_labels: isMatrix(draft.type) ? written(draft.scaleLabels) : [],
    sub_questions: isMatrix(draft.type) ? written(draft.subQuestions) : [],
    ...(draft.placeholder !== undefined && { placeholder: draft.placeholder }),
    ...(draft.logic !== undefined && logicToSend(draft.logic)),
    ...(draft.type === 'CONSTANT_SUM' && { total: draft.total ?? null }),
    ...(isScale(draft.type) && {
      min_value: draft.min,
      max_value: draft.max,
      min_description: draft.minDescription.trim(),
      max_description: draft.maxDescription.trim(),
    }),
  };
}

/** Changes of one field within this time are one step of {@link undo}. */
const STEP_MS = 1000;

/** A draft, and what it was before. */
export interface Written {
  now: Draft;
  past: readonly Draft[];
  future: readonly Draft[];
  /** When it was last changed, and which fields. */
  changed: { at: number; fields: string };
}

export const unwritten = (draft: Draft): Written => ({
  now: draft,
  past: [],
  future: [],
  changed: { at: 0, fields: '' },
});

/** Marks a field that changed in another way than by typing. */
const ANEW = '#';

/** A text changed, or one of a list that did not grow or shrink. */
function isTyping(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    const others = before.filter((item, index) => item !== after[index]);
    return before.length === after.length && others.length <= 1;
  }
  return typeof after === 'string' || typeof after === 'number';
}

export function rewrite(written: Written, next: Draft, at = Date.now()): Written {
  const { now, past, changed } = written;
  const fields = (Object.keys(next) as (keyof Draft)[])
    .filter((field) => next[field] !== now[field])
    .map((field) => (isTyping(now[field], next[field]) ? field : `${field}${ANEW}`))
    .join();
  if (fields === '') return written;
  const goesOn = fields === changed.fields && !fields.includes(ANEW) && at - changed.at < STEP_MS;
  return { now: next, past: goesOn ? past : [...past, now], future: [], changed: { at, fields } };
}

export function undo(written: Written): Written {
  const before = written.past.at(-1);
  if (before === undefined) return written;
  const { now, past, future } = written;
  return { ...unwritten(before), past: past.slice(0, -1), future: [...future, now] };
}

export function redo(written: Written): Written {
  const after = written.future.at(-1);
  if (after === undefined) return written;
  const { now, past, future } = written;
  return { ...unwritten(after), past: [...past, now], future: future.slice(0, -1) };
}

/** Whether the user's settings let what is written be kept by itself; `undefined` while they are not known. */
export const useAutoSave = (): boolean | undefined =>
  useGet('/api/auth/settings', {}, { revalidateOnFocus: false }).data?.autoSave;

/**
 * The draft of a question; `questionId` is `null` for a new one. Where the user's settings say so, it is kept in the
 * tab's `sessionStorage`, so that it outlives a closed card, a reload and a lost session.
 */
export function useDraft(
  { surveyId, questionId }: { surveyId: number; questionId: number | null },
  initial: Draft,
) {
  const entry = sessionEntry('draft:', `${surveyId}:${questionId ?? 'new'}`);
  const [stored, setStored] = useState(() => read(entry));
  const [written, setWritten] = useState(() => unwritten(stored ?? initial));
  const autoSave = useAutoSave();

  const forget = () => entry.write(null);
  const take = (next: Written) => {
    setWritten(next);
    if (autoSave !== false) entry.write(JSON.stringify(next.now));
    return next.now;
  };
  return {
    draft: written.now,
    /** Whether it continues a draft of earlier. */
    resumed: stored !== null,
    /** `undefined`: not known yet. */
    autoSave,
    write: (next: Draft) => take(rewrite(written, next)),
    /** `null` where there is nothing to take back. */
    undo: written.past.length > 0 ? () => take(undo(written)) : null,
    redo: written.future.length > 0 ? () => take(redo(written)) : null,
    startOver: (draft = initial) => {
      forget();
      setStored(null);
      setWritten(unwritten(draft));
    },
    /** For a draft that was saved or cancelled. */
    forget,
  };
}

function read(entry: Entry): Draft | null {
  const stored = entry.read();
  return stored === null ? null : { ...blank, ...(JSON.parse(stored) as Draft) };
}
