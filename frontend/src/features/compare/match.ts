import { diffWords } from 'diff';
import type { QuestionSummary } from '@/api/types';
import { hasOptions, isChoice, isMatrix } from '@/question-types/questionTypes';

/** One question in several runs. */
export interface Match {
  /** The question in each run; missing where a run did not ask it. The first run has it. */
  questions: (QuestionSummary | undefined)[];
  /** Its words differ between runs. */
  reworded: boolean;
}

/** Words that two texts must share to be one question in other words. */
const ALIKE = 0.5;

const normalise = (text: string) => text.toLowerCase().replaceAll(/\s+/g, ' ').trim();

/** The options in their order: answers to other options cannot be compared. */
function optionsOf({ questionType, counts, rows }: QuestionSummary): string {
  if (isChoice(questionType)) return counts.map(({ value }) => normalise(value)).join('\n');
  if (isMatrix(questionType) || hasOptions(questionType))
    return [rows[0]?.counts ?? [], rows]
      .map((part) => part.map((each) => normalise('row' in each ? each.row : each.value)).join('\n'))
      .join('\n\n');
  return '';
}

const signature = (question: QuestionSummary) => `${question.questionType}\n${optionsOf(question)}`;

/** The share of the longer text's letters that both have, 0 to 1. */
export function alike(one: string, other: string): number {
  const longer = Math.max(one.length, other.length, 1);
  const shared = diffWords(one, other).filter(({ added, removed }) => !added && !removed);
  return shared.reduce((sum, { value }) => sum + value.length, 0) / longer;
}

/**
 * The first run's questions and the same ones of the others: of one type and the same options, first those of the same
 * words, then those whose words are most alike. A question stands for one other at most.
 */
export function match(runs: readonly (readonly QuestionSummary[])[]): Match[] {
  const [first = [], ...others] = runs;
  const matches = first.map((question): Match => ({ questions: [question], reworded: false }));
  for (const other of others) {
    const free = new Set(other);
    const found = first.map((question) => {
      const same = [...free].find(
        (each) =>
          signature(each) === signature(question) && normalise(each.text) === normalise(question.text),
      );
      if (same !== undefined) free.delete(same);
      return same;
    });
    first.forEach((question, place) => {
      if (found[place] !== undefined) return;
      const near = [...free]
        .filter((each) => signature(each) === signature(question))
        .map((each) => ({ each, share: alike(normalise(question.text), normalise(each.text)) }))
        .filter(({ share }) => share >= ALIKE)
        .sort((a, b) => b.share - a.share)[0]?.each;
      if (near === undefined) return;
      free.delete(near);
      found[place] = near;
      const reworded = matches[place];
      if (reworded !== undefined) reworded.reworded = true;
    });
    matches.forEach(({ questions }, place) => questions.push(found[place]));
  }
  return matches.filter(({ questions }) => questions.slice(1).some((question) => question !== undefined));
}
