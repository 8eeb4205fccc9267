import type { Bin, QuestionSummary, Tally } from '@/api/types';
import type { Match } from './match';

type Figures = Pick<QuestionSummary, 'n' | 'counts' | 'rows' | 'bins' | 'mean' | 'sd' | 'min' | 'max'>;
type Moments = Pick<QuestionSummary, 'n' | 'mean' | 'sd'>;

/** A question of several runs as one that is split by run: the whole is all their answers together. */
export function merged({ questions }: Match, names: readonly string[]): QuestionSummary | null {
  const asked = questions.flatMap((question, run) =>
    question === undefined ? [] : [{ ...question, name: names[run] ?? '' }],
  );
  const [first] = asked;
  if (first === undefined) return null;
  const bins = sameBins(asked) ? added(asked.map((question) => question.bins)) : [];
  const whole: Figures = {
    n: total(asked),
    counts: addedCounts(asked),
    rows: first.rows.map(({ row }, place) => {
      const same = asked.flatMap(({ rows }) => rows[place] ?? []);
      return { row, n: total(same), counts: addedCounts(same), ...moments(same) };
    }),
    bins,
    ...moments(asked),
    min: least(asked.map(({ min }) => min)),
    max: most(asked.map(({ max }) => max)),
  };
  return {
    ...whole,
    questionId: first.questionId,
    order: first.order,
    text: first.text,
    questionType: first.questionType,
    texts: [],
    groups: asked.map(({ name, n, counts, rows, bins: own, mean, sd, min, max }) => ({
      value: name,
      ...{ n, counts, rows, mean, sd, min, max },
      bins: bins.length > 0 ? own : [],
    })),
  };
}

const total = (parts: readonly { n: number }[]) => parts.reduce((sum, { n }) => sum + n, 0);
const least = (values: readonly (number | null | undefined)[]) =>
  values.reduce((a, b) => (a == null || (b != null && b < a) ? b : a), null) ?? null;
const most = (values: readonly (number | null | undefined)[]) =>
  values.reduce((a, b) => (a == null || (b != null && b > a) ? b : a), null) ?? null;

/** Counts of the same options, and the share of all who answered. */
function addedCounts(parts: readonly { n: number; counts: readonly Tally[] }[]): Tally[] {
  const n = total(parts);
  return (parts[0]?.counts ?? []).map(({ value }, place) => {
    const count = parts.reduce((sum, { counts }) => sum + (counts[place]?.count ?? 0), 0);
    return { value, count, share: n > 0 ? count / n : 0 };
  });
}

function added(lists: readonly (readonly Bin[])[]): Bin[] {
  const n = lists.flat().reduce((sum, { count }) => sum + count, 0);
  return (lists[0] ?? []).map(({ from, to }, place) => {
    const count = lists.reduce((sum, list) => sum + (list[place]?.count ?? 0), 0);
    return { from, to, count, share: n > 0 ? count / n : 0 };
  });
}

/** Only intervals with the same edges can stand side by side. */
function sameBins(questions: readonly { bins: readonly Bin[] }[]): boolean {
  const edges = questions.map(({ bins }) => JSON.stringify(bins.map(({ from, to }) => [from, to])));
  return new Set(edges).size === 1;
}

/** Pools several samples: their mean, and the standard deviation of all their answers. */
function moments(parts: readonly Moments[]): { mean: number | null; sd: number | null } {
  const known = parts.flatMap(({ n, mean, sd }) => (n > 0 && mean != null ? [{ n, mean, sd: sd ?? 0 }] : []));
  const n = total(known);
  if (n === 0) return { mean: null, sd: null };
  const mean = known.reduce((sum, part) => sum + part.n * part.mean, 0) / n;
  const squares = known.reduce(
    (sum, part) => sum + (part.n - 1) * part.sd ** 2 + part.n * (part.mean - mean) ** 2,
    0,
  );
  return { mean, sd: n > 1 ? Math.sqrt(squares / (n - 1)) : null };
}
