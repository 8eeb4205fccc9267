import type { QuestionSummary, Tally } from '@/api/types';
import { kindOf, ratingsOf } from '@/charts/figures';
import type { Finding, Findings } from '@/charts/tests';
import { newcombe, separation, totalVariation, welch, type Interval } from '@/statistics';

/** How a question, a row of it or an option differs between runs. */
export interface Difference {
  key: string;
  question: QuestionSummary;
  /** The row of a matrix or the option of several answers; else empty. */
  part: string;
  /** The compared figure: the answer that differs most, or the mean. */
  measure: string;
  unit: 'share' | 'mean';
  /** The value of each run; null where it did not ask. */
  values: (number | null)[];
  /** Differences from the first run, for each further run. */
  differences: ((Interval & { difference: number }) | null)[];
  /** The largest distance from the first run's distribution, 0 to 1. */
  distance: number | null;
  finding: Finding | undefined;
}

/** The comparable figures of all questions, those that differ most first. */
export function differencesOf(
  questions: readonly QuestionSummary[],
  names: readonly string[],
  findings: Findings,
): Difference[] {
  const all = questions.flatMap((question) => {
    const groups = names.map((name) => question.groups.find(({ value }) => value === name));
    const found = findings.of.get(question.questionId) ?? [];
    const finding = (part: string) => found.find((each) => each.part === part);
    const shared = (part: string) => ({
      key: `${question.questionId} ${part}`,
      question,
      part,
      finding: finding(part),
    });
    switch (kindOf(question)) {
      case 'choice':
        return [{ ...shared(''), ...ofCounts(groups.map((group) => group?.counts ?? null)) }];
      case 'several':
        return question.counts.map(({ value }, place) => ({
          ...shared(value),
          ...ofOption(
            groups.map((group) => (group ? { n: group.n, count: group.counts[place]?.count ?? 0 } : null)),
          ),
        }));
      case 'agreement':
      case 'means':
        return ratingsOf(question).map(({ row }, place) => ({
          ...shared(row),
          ...ofMeans(groups.map((group) => (group ? (ratingsOf(group)[place] ?? null) : null))),
        }));
      case 'numbers':
        return [{ ...shared(''), ...ofMeans(groups.map((group) => group ?? null)) }];
      default:
        return [];
    }
  });
  return all.sort((one, other) => (other.distance ?? -1) - (one.distance ?? -1));
}

type Compared = Pick<Difference, 'measure' | 'unit' | 'values' | 'differences' | 'distance'>;

const largest = (distances: readonly (number | null)[]) =>
  distances.reduce((most, each) => (each === null ? most : Math.max(most ?? 0, each)), null);
const answers = (counts: readonly Tally[]) => counts.reduce((sum, { count }) => sum + count, 0);

/** The answer whose share lies furthest from the first run's, and how far the whole distributions lie apart. */
function ofCounts(runs: readonly (readonly Tally[] | null)[]): Compared {
  const [first, ...others] = runs;
  const gap = (place: number) =>
    Math.max(...others.map((other) => Math.abs((other?.[place]?.share ?? 0) - (first?.[place]?.share ?? 0))));
  const options = first ?? [];
  const place = options.reduce((most, _, each) => (gap(each) > gap(most) ? each : most), 0);
  const at = (counts: readonly Tally[] | null) =>
    counts === null ? null : { n: answers(counts), count: counts[place]?.count ?? 0 };
  const option = ofOption(runs.map(at));
  const figures = (counts: readonly Tally[]) => counts.map(({ count }) => count);
  const distance = largest(
    others.map((other) => (first && other ? totalVariation(figures(first), figures(other)) : null)),
  );
  return { ...option, measure: options[place]?.value ?? '', distance };
}

/** One answer of several. */
function ofOption(runs: readonly ({ n: number; count: number } | null)[]): Compared {
  const [first, ...others] = runs;
  const differences = others.map((other) =>
    first && other ? newcombe(other.count, other.n, first.count, first.n) : null,
  );
  return {
    measure: '',
    unit: 'share',
    values: runs.map((run) => (run === null || run.n === 0 ? null : run.count / run.n)),
    differences,
    distance: largest(differences.map((each) => each && Math.abs(each.difference))),
  };
}

function ofMeans(
  runs: readonly ({ n: number; mean?: number | null; sd?: number | null } | null)[],
): Compared {
  const samples = runs.map((run) =>
    run?.mean == null || run.sd == null ? null : { n: run.n, mean: run.mean, sd: run.sd },
  );
  const [first, ...others] = samples;
  const differences = others.map((other) => (first && other ? welch(other, first) : null));
  return {
    measure: 'Mean',
    unit: 'mean',
    values: runs.map((run) => run?.mean ?? null),
    differences,
    // As far as two normal distributions whose means lie so far apart: on the scale of the shares.
    distance: largest(differences.map((each) => each && separation(each.d))),
  };
}
