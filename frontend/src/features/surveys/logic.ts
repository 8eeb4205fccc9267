import type { QuestionLogic } from '@/api/design';
import type { Question, QuestionPayload } from '@/api/types';

const fields = [
  'codes',
  'shuffle',
  'pin',
  'rowShuffle',
  'showIf',
  'optionIf',
  'check',
  'scale',
  'reverse',
] as const satisfies readonly (keyof QuestionLogic)[];

/** What the design reads of a question; `null` where it is a plain one. */
export function logicOf(question: Question): QuestionLogic | null {
  const logic = Object.fromEntries(
    fields.flatMap((field) => (question[field] == null ? [] : [[field, question[field]]])),
  ) as QuestionLogic;
  return isPlain(logic) ? null : logic;
}

export const isPlain = (logic: QuestionLogic | undefined) =>
  logic === undefined || Object.values(logic).every((value) => value === undefined);

/** Every field, so that what is taken away goes on the server too. */
export const logicToSend = (logic: QuestionLogic): Partial<QuestionPayload> =>
  Object.fromEntries(fields.map((field) => [field, logic[field] ?? null]));
