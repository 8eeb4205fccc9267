import type { QuestionLogic } from '@/api/design';
import type { Question, QuestionPayload } from '@/api/types';

const fields = [
  'codes',
  'shuffle',
  'pin',
  'exclusive',
  'rowShuffle',
  'showIf',
  'optionIf',
  'check',
  'scale',
  'reverse',
  'reverseRows',
  'desirable',
  'published',
] as const satisfies readonly (keyof QuestionLogic)[];

/** Ids of a question in another survey program: no logic of its own, but they stay with the question. */
const ids = ['importId', 'partIds', 'exportTag'] as const satisfies readonly (keyof QuestionLogic)[];

/** The logic of a question that the design reads; `null` for a plain question. */
export function logicOf(question: Question): QuestionLogic | null {
  const logic = Object.fromEntries(
    [...fields, ...ids].flatMap((field) => (question[field] == null ? [] : [[field, question[field]]])),
  ) as QuestionLogic;
  return isPlain(logic) ? null : logic;
}

export const isPlain = (logic: QuestionLogic | undefined) =>
  logic === undefined || fields.every((field) => logic[field] === undefined);

/** Every field, so that what is taken away goes on the server too. */
export const logicToSend = (logic: QuestionLogic): Partial<QuestionPayload> =>
  Object.fromEntries([
    ...fields.map((field) => [field, logic[field] ?? null]),
    ...ids.flatMap((id) => (logic[id] === undefined ? [] : [[id, logic[id]]])),
  ]) as Partial<QuestionPayload>;

/**
 * The logic of a question whose options, labels or rows changed: it names them by their texts. Edited texts are renamed
 * in it, and removed ones dropped.
 */
export function withTexts(
  logic: QuestionLogic | undefined,
  before: readonly string[],
  after: readonly string[],
): QuestionLogic | undefined {
  if (logic === undefined || isPlain(logic)) return logic;
  const differs = before.flatMap((text, index) => (text === after[index] ? [] : [index]));
  const [place = -1] = differs;
  const isWritten = before.length === after.length && differs.length === 1;
  const old = before[place] ?? '';
  // Of two equal ones nobody knows which was meant.
  if (isWritten && before.filter((text) => text === old).length > 1) return logic;
  const now = (text: string): string[] => {
    if (isWritten) return [text === old ? (after[place] ?? '') : text];
    return before.includes(text) && !after.includes(text) ? [] : [text];
  };
  const list = (texts: string[]) => {
    const left = texts.flatMap(now);
    return left.length === 0 ? undefined : left;
  };
  const { pin, exclusive, reverseRows, check, optionIf, partIds } = logic;
  const conditions = Object.entries(optionIf ?? {}).flatMap(([text, condition]) =>
    now(text).map((name) => [name, condition] as const),
  );
  const parts = Object.entries(partIds ?? {}).flatMap(([text, id]) => now(text).map((name) => [name, id]));
  const expect = check === undefined ? undefined : list(check.expect);
  const next = {
    ...logic,
    pin: pin && list(pin),
    exclusive: exclusive && list(exclusive),
    reverseRows: reverseRows && list(reverseRows),
    check: expect && { expect },
    optionIf: conditions.length === 0 ? undefined : Object.fromEntries(conditions),
    partIds: parts.length === 0 ? undefined : (Object.fromEntries(parts) as Record<string, string>),
  };
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
}
