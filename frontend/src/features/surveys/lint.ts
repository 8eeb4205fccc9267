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

const LEADING =
  /\b(?:do(?:n['’]t| not) you (?:agree|think)|would(?:n['’]t| not) you|is(?:n['’]t| not) it|are(?:n['’]t| not) you|surely|obviously|of course|everybody knows|everyone knows|as we all know|needless to say|how (?:great|good|bad|terrible|amazing|awful|wonderful)|do you agree that)\b/i;

/** Pairs that are one thing. */
const PAIRS =
  /\b(?:between\b.+\band\b|both\b.+\band\b|(?:friends and family|family and friends|more and more|pros and cons|black and white|research and development|terms and conditions|health and safety|men and women|food and drink|bed and breakfast|again and again|now and then|by and large|\d+ and \d+))/i;

const WAY_OUT =
  /don['’]?t know|do not know|not sure|unsure|prefer not|rather not|no opinion|undecided|not applicable|n\/a|none of|neither|neutral|other|can['’]?t say|cannot say|nothing|never/i;

/** Finds words that ask two things at once: `cheaper and at night`. */
function twoThings(text: string): string | null {
  // Only what is asked: a story before it may have as many parts as it likes.
  const asked = text.split(/(?<=[.!?])\s+/).findLast((sentence) => sentence.trim() !== '') ?? '';
  if (PAIRS.test(asked)) return null;
  return /[\w'’-]+(?: and | as well as |\/)(?:[\w'’-]+ )?[\w'’-]+/.exec(asked)?.[0] ?? null;
}

/** Hints on the wording of a question, the gravest first. */
export function hintsOn(draft: Draft): Hint[] {
  const { text, type, subQuestions, options } = draft;
  const hints: Hint[] = [];
  const leading = LEADING.exec(text)?.[0];
  if (leading !== undefined) hints.push({ text: `“${leading}” leads to an answer. Ask without it.` });
  const { chart, isAsked, isChoice, parts, presets } = questionTypes[type];
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
  const written = options.filter((option) => option.trim() !== '');
  const scale = presets.some(([, part]) => isChosen(draft, part));
  if (isChoice && written.length > 2 && !scale && !written.some((option) => WAY_OUT.test(option))) {
    hints.push({
      text: `There is no “${DONT_KNOW}” option.`,
      fix: { name: 'Add it', part: { options: [...written, DONT_KNOW] } },
    });
  }
  return hints;
}
