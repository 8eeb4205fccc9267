import type { QuestionLogic } from '@/api/design';
import type { QuestionPayload, QuestionType } from '@/api/types';
import { agreement, blank, isName, type Draft } from './draft';
import { logicToSend } from './logic';
import { hasOptions, isMatrix, isScale } from './questionTypes';

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
