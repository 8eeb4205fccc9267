import type { Question, QuestionPayload } from '@/api/types';
import { payloadOf } from '@/question-types/content';
import { draftOf, type Draft } from '@/question-types/draft';

/** A list of questions before and after one change. */
export interface Step {
  before: readonly Question[];
  after: readonly Question[];
}

/** A change of something beside the list, which knows itself how to go back and forth. */
export interface OtherStep {
  undo: () => Promise<unknown>;
  redo: () => Promise<unknown>;
}

/** The changes that make one list of questions the other. */
export interface Difference {
  removed: Question[];
  /** The questions after the change. */
  changed: Question[];
  added: Question[];
  /** The questions of both stand in another order, or an added one is not the last. */
  moved: boolean;
}

/** The content of an existing question after a draft. Logic that the draft lacks is sent too, to be taken away. */
export const contentOfDraft = (draft: Draft): QuestionPayload => payloadOf({ logic: {}, ...draft });

/** The content of a question, without its id and place. */
export const contentOf = (question: Question): QuestionPayload => contentOfDraft(draftOf(question));

/** A copy of a question, under a name of its own. */
export const copyOf = (question: Question): QuestionPayload => ({ ...contentOf(question), name: null });

/** Whether two questions say the same, whatever their ids and places. */
export function sameContent(a: Question, b: Question): boolean {
  return a === b || JSON.stringify(contentOf(a)) === JSON.stringify(contentOf(b));
}

export function difference(from: readonly Question[], to: readonly Question[]): Difference {
  const old = new Map(from.map((question) => [question.id, question]));
  const kept = new Set(to.map(({ id }) => id));
  const removed = from.filter(({ id }) => !kept.has(id));
  const added = to.filter(({ id }) => !old.has(id));
  const changed = to.filter((question) => {
    const before = old.get(question.id);
    return before !== undefined && !sameContent(before, question);
  });
  // The order that the list has without any change of order: what stays, then what is added.
  const unmoved = [...from.filter(({ id }) => kept.has(id)), ...added];
  return { removed, changed, added, moved: to.some(({ id }, index) => unmoved[index]?.id !== id) };
}

/** The questions with their places as `order`, from 1; a question that has its place already stays the same object. */
export function renumbered(questions: readonly Question[]): Question[] {
  return questions.map((question, index) =>
    question.order === index + 1 ? question : { ...question, order: index + 1 },
  );
}
