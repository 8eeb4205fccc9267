import type { QuestionLogic } from '@/api/design';
import type { QuestionPayload, QuestionType } from '@/api/types';
import { BLANK_DRAFT, isName, type Draft } from './draft';
import { logicToSend } from './logic';
import { hasOptions, isMatrix, isScale, questionTypes } from './questionTypes';

/** Changing the type keeps the text and starts the rest as that type needs it. */
export function withType(draft: Draft, type: QuestionType): Draft {
  const kept = {
    ...BLANK_DRAFT,
    ...lasting(draft),
    ...(memoryKey(draft.type) === memoryKey(type) &&
      draft.logic !== undefined && { logic: logicFor(type, draft.logic) }),
    type,
  };
  return { ...kept, ...questionTypes[type].start(draft) };
}

/** Not of all types can an option exclude others. */
const logicFor = (type: QuestionType, { exclusive, ...logic }: QuestionLogic): QuestionLogic =>
  questionTypes[type].logic.includes('exclusive') && exclusive !== undefined
    ? { ...logic, exclusive }
    : logic;

/** Keeps the parts of a draft that another type has no use for; types with options share theirs. */
export type TypeMemory = Map<QuestionType | 'choice', Draft>;

const memoryKey = (type: QuestionType) => (hasOptions(type) ? 'choice' : type);

/** Like {@link withType}, but restores the content of a type that the question had before. */
export function switchType(memory: TypeMemory, draft: Draft, type: QuestionType): Draft {
  memory.set(memoryKey(draft.type), draft);
  const before = memoryKey(draft.type) === memoryKey(type) ? undefined : memory.get(memoryKey(type));
  return before === undefined ? withType(draft, type) : { ...before, type, ...lasting(draft) };
}

/** The parts that no type changes. */
const lasting = ({ text, required, name, logic }: Draft) => ({
  text,
  required,
  ...(name !== undefined && { name }),
  ...(logic?.showIf !== undefined && { logic: { showIf: logic.showIf } }),
});

/** Finds the problem of a draft; `null` when it can be saved. */
export function problemOf(draft: Draft): string | null {
  if (draft.text.trim() === '') return 'Question text is required';
  if (!isName(draft.name))
    return 'A name begins with a letter and has only letters a-z, digits, _ and . after it';
  return questionTypes[draft.type].problemOf(draft);
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
    ...(questionTypes[draft.type].hasTotal && { total: draft.total ?? null }),
    ...(isScale(draft.type) && {
      min_value: draft.min,
      max_value: draft.max,
      min_description: draft.minDescription.trim(),
      max_description: draft.maxDescription.trim(),
    }),
  };
}
