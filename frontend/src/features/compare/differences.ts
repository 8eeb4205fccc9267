import type { components } from '@/api/schema';
import { widestOf, type GroupDifference } from '@/charts/effects';
import { kindOf, type Figures } from '@/charts/figures';
import { findingsOf, type Finding } from '@/charts/tests';

export type QuestionInSimulations = components['schemas']['QuestionInSimulations'];

/** How a question, a row of it or an option differs between runs. */
export interface Difference {
  key: string;
  question: QuestionInSimulations;
  /** The row of a matrix or the option of several answers; else empty. */
  part: string;
  /** The compared figure: the answer that differs most, or the mean. */
  measure: string;
  unit: 'share' | 'mean';
  /** The value of each run; null where it did not ask. */
  values: (number | null)[];
  /** Differences from the first run, by further run; null where there is none. */
  differences: (GroupDifference | null)[];
  /** The largest distance from the first run's distribution, 0 to 1. */
  distance: number | null;
  finding: Finding | undefined;
}

/** The comparable figures of all questions, those that differ most first. */
export function differencesOf(
  questions: readonly QuestionInSimulations[],
  names: readonly string[],
): Difference[] {
  const all = questions.flatMap((question) => {
    const kind = kindOf(question);
    const found = findingsOf(question);
    return question.tests.map(({ part, distance = null }): Difference => {
      const from = question.differences.filter((each) => each.part === part && each.base === names[0]);
      const shown = widestOf(from);
      const unit = kind === 'choice' || kind === 'several' ? 'share' : 'mean';
      const option = shown[0]?.option ?? (kind === 'several' ? part : (question.counts[0]?.value ?? ''));
      const of = (name: string) => question.groups.find(({ value }) => value === name);
      return {
        key: `${question.questionId} ${part}`,
        question,
        part,
        measure: unit === 'mean' ? 'Mean' : kind === 'several' ? '' : option,
        unit,
        values: names.map((name) => valueOf(of(name), unit, part, option)),
        differences: names.slice(1).map((name) => shown.find(({ group }) => group === name) ?? null),
        distance,
        finding: found.find((each) => each.part === part),
      };
    });
  });
  return all.sort((one, other) => (other.distance ?? -1) - (one.distance ?? -1));
}

/** The share of an option, or the mean of a row; null where nobody answered. */
function valueOf(
  figures: Figures | undefined,
  unit: Difference['unit'],
  part: string,
  option: string,
): number | null {
  if (figures === undefined || figures.n === 0) return null;
  if (unit === 'share') return figures.counts.find(({ value }) => value === option)?.share ?? 0;
  if (figures.rows.length === 0) return figures.mean ?? null;
  return figures.rows.find(({ row }) => row === part)?.mean ?? null;
}
