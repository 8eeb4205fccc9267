import type { Draft } from '@/question-types/draft';
import { questionTypes } from '@/question-types/questionTypes';
import { isChosen } from '@/question-types/scales';

/** Something about the wording that is worth a second look; it stops nobody. */
export interface Hint {
  text: string;
  /** The change that would mend it, with the name of its button. */
  fix?: { name: string; part: Partial<Draft> };
}

const LONGEST_TEXT = 200;
const DONT_KNOW = "Don't know";

/** Two words with a slash between them, in any script: `cheap/safe`. */
const TWO_THINGS = /[\p{L}’'-]{2,}\/[\p{L}’'-]{2,}/u;

/** Finds words that ask two things at once. */
function twoThings(text: string): string | null {
  // Only what is asked: a story before it may have as many parts as it likes.
  const asked = text.split(/(?<=[.!?])\s+/).findLast((sentence) => sentence.trim() !== '') ?? '';
  return TWO_THINGS.exec(asked)?.[0] ?? null;
}

/** Hints on the wording of a question, in any language, the gravest first. */
export function hintsOn(draft: Draft): Hint[] {
  const { text, type, subQuestions } = draft;
  const hints: Hint[] = [];
  const { chart, isAsked, parts } = questionTypes[type];
  const double = isAsked && chart !== 'texts' ? twoThings(text) : null;
  if (double !== null) hints.push({ text: `“${double}” may ask two things at once.` });
  if (parts === 'matrix') {
    for (const [index, row] of subQuestions.entries()) {
      const two = twoThings(row);
      if (two !== null)
        hints.push({ text: `Sub-question ${index + 1}: “${two}” may ask two things at once.` });
    }
  }
  if (text.length > LONGEST_TEXT) {
    hints.push({ text: `${text.length} characters: texts over ${LONGEST_TEXT} are often skimmed.` });
  }
  if (lacksWayOut(draft)) {
    hints.push({
      text: 'No option is marked for those who have no answer.',
      fix: { name: `Add “${DONT_KNOW}”`, part: withWayOut(draft) },
    });
  }
  return hints;
}

const writtenOptions = ({ options }: Draft) => options.filter((option) => option.trim() !== '');

/**
 * Whether a choice of three or more has no option for twins without an answer. What is stated of the options tells, in any
 * language: such an option keeps its place, excludes the others, or has a code out of line, as 99. A stated scale or a preset
 * one needs none.
 */
function lacksWayOut(draft: Draft): boolean {
  const { isChoice, presets } = questionTypes[draft.type];
  const { scale, codes, pin = [], exclusive = [] } = draft.logic ?? {};
  const written = writtenOptions(draft);
  if (!isChoice || written.length < 3 || scale !== undefined) return false;
  if (presets.some(([, part]) => isChosen(draft, part))) return false;
  return !hasCodeOutOfLine(codes) && !written.some((text) => [...pin, ...exclusive].includes(text));
}

/** Whether the last code does not follow the one before it as that follows the first: `1, 2, 3, 99`. */
function hasCodeOutOfLine(codes: readonly number[] = []): boolean {
  const [first = 0, second = 0] = codes;
  const [beforeLast = 0, last = 0] = codes.slice(-2);
  return codes.length > 2 && last - beforeLast !== second - first;
}

/** An option at the end that excludes the others where several can be chosen, and else keeps its place. */
function withWayOut(draft: Draft): Partial<Draft> {
  const mark = questionTypes[draft.type].logic.includes('exclusive') ? 'exclusive' : 'pin';
  return {
    options: [...writtenOptions(draft), DONT_KNOW],
    logic: { ...draft.logic, [mark]: [...(draft.logic?.[mark] ?? []), DONT_KNOW] },
  };
}
