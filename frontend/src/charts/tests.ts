import type { QuestionSummary } from '@/api/types';
import { anova, chiSquare, holm, welch, type Sample } from '@/statistics';
import { fixed, percent } from '@/ui/numbers';
import { effectsOf, effectWords as differences } from './effects';
import { kindOf, ratingsOf, type Part } from './figures';
import { NOT_STATED } from './palette';
import { partsOf, type Split } from './split';

/** p-values below it are called a difference. */
const LEVEL = 0.05;
/** The share of cells with `LEAST_EXPECTED` expected answers below which χ² is rough (Cochran 1954). */
const MOST_CELLS = 0.8;
const LEAST_EXPECTED = 5;

/** Whether the groups of a split differ in a question, in a row of it or in an option. */
export interface Test {
  /** The row of a matrix or the option of several answers; else empty. */
  part: string;
  /** `χ²(16) = 83.8`. */
  statistic: string;
  /** `V = .10`. */
  effect: string;
  size: Size;
  p: number;
  /** Few answers are expected in many cells. */
  rough: boolean;
}

/** A test among all others of the same split. */
export interface Finding extends Test {
  /** p by Holm over all of them. */
  adjusted: number;
  differs: boolean;
}

export type Size = 'negligible' | 'small' | 'medium' | 'large';

export interface Findings {
  /** How many tests there are on the page. */
  tests: number;
  of: ReadonlyMap<number, readonly Finding[]>;
}

/** Every test of a split, p adjusted for their number. None where twins are in several groups at once. */
export function findingsOf(questions: readonly QuestionSummary[], split: Split | null): Findings {
  if (split === null || !split.exclusive) return { tests: 0, of: new Map() };
  const tests = questions.map((question) => ({
    question,
    // A row differs by itself.
    tests: testsOf(question, partsOf(question, split)).filter(
      ({ part }) => split.questionId !== question.questionId || part !== split.row,
    ),
  }));
  const all = tests.flatMap((each) => each.tests);
  const adjusted = holm(all.map(({ p }) => p));
  let next = 0;
  const of = new Map(
    tests.map(({ question, tests: own }): [number, Finding[]] => [
      question.questionId,
      own.map((test) => {
        const p = adjusted[next] ?? 1;
        next += 1;
        return { ...test, adjusted: p, differs: p < LEVEL };
      }),
    ]),
  );
  return { tests: all.length, of };
}

/** The tests of one question; twins without a value of the attribute are no group. */
export function testsOf(question: QuestionSummary, parts: readonly Part[]): Test[] {
  const groups = parts.filter(({ name }) => name !== NOT_STATED).map(({ figures }) => figures);
  const kind = kindOf(question);
  const some = (tests: (Test | null)[]) => tests.filter((test) => test !== null);
  if (kind === 'choice') {
    const table = groups.map(({ counts }) => counts.map(({ count }) => count));
    return some([countsTest('', table)]);
  }
  if (kind === 'several') {
    return some(
      question.counts.map(({ value }, index) =>
        countsTest(
          value,
          groups.map(({ n, counts }) => [counts[index]?.count ?? 0, n - (counts[index]?.count ?? 0)]),
        ),
      ),
    );
  }
  if (kind === 'agreement' || kind === 'means') {
    return some(
      ratingsOf(question).map(({ row }, index) =>
        meansTest(row, samples(groups.map((figures) => ratingsOf(figures)[index] ?? { n: 0 }))),
      ),
    );
  }
  return kind === 'numbers' ? some([meansTest('', samples(groups))]) : [];
}

function countsTest(part: string, table: readonly (readonly number[])[]): Test | null {
  const test = chiSquare(table);
  if (test === null) return null;
  const { statistic, df, p, v } = test;
  const rows = table.filter((row) => row.some((count) => count > 0));
  const columns = (rows[0] ?? [])
    .map((_, column) => rows.reduce((sum, row) => sum + (row[column] ?? 0), 0))
    .filter((count) => count > 0);
  const whole = columns.reduce((sum, count) => sum + count, 0);
  const expected = rows.flatMap((row) => {
    const n = row.reduce((sum, count) => sum + count, 0);
    return columns.map((count) => (n * count) / whole);
  });
  return {
    part,
    statistic: `χ²(${df}) = ${figure(statistic)}`,
    effect: effectWords('V', v),
    // Cohen's w of such a table.
    size: sizeOf(v * Math.sqrt(Math.min(rows.length, columns.length) - 1), 0.1, 0.3, 0.5),
    p,
    rough: expected.filter((count) => count >= LEAST_EXPECTED).length < MOST_CELLS * expected.length,
  };
}

function meansTest(part: string, groups: readonly Sample[]): Test | null {
  const [one, other] = groups;
  if (groups.length === 2 && one !== undefined && other !== undefined) {
    const test = welch(one, other);
    if (test === null) return null;
    const { t, df, p, d } = test;
    const statistic = `Welch t(${df.toFixed(0)}) = ${figure(t)}`;
    return {
      part,
      statistic,
      effect: effectWords('d', d),
      size: sizeOf(Math.abs(d), 0.2, 0.5, 0.8),
      p,
      rough: false,
    };
  }
  const test = anova(groups);
  if (test === null) return null;
  const { f, df1, df2, p, etaSquared } = test;
  const statistic = `Welch F(${df1}, ${df2.toFixed(0)}) = ${figure(f)}`;
  const size = sizeOf(etaSquared, 0.01, 0.06, 0.14);
  return { part, statistic, effect: effectWords('η²', etaSquared), size, p, rough: false };
}

/** The groups that can be compared: those with at least two answers. */
function samples(groups: readonly { n: number; mean?: number | null; sd?: number | null }[]): Sample[] {
  return groups.flatMap(({ n, mean, sd }) => (mean == null || sd == null ? [] : [{ n, mean, sd }]));
}

/** How many pairs of groups differ in their means, by Welch's t and Holm over the pairs. */
export function pairsOf(parts: readonly Part[]): { differ: number; pairs: number } {
  const groups = samples(parts.filter(({ name }) => name !== NOT_STATED).map(({ figures }) => figures));
  const p = groups.flatMap((one, index) =>
    groups.slice(index + 1).flatMap((other) => {
      const test = welch(one, other);
      return test === null ? [] : [test.p];
    }),
  );
  return { differ: holm(p).filter((each) => each < LEVEL).length, pairs: p.length };
}

/** Sentences on the tests of a question; empty where it is not split. */
export function findingWords(
  question: QuestionSummary,
  parts: readonly Part[],
  split: Split | null,
  findings: Findings,
  moving: boolean,
): string {
  const kind = kindOf(question);
  if (split === null || kind === 'texts') return '';
  if (parts.length === 0) return 'The groups are made by this question.';
  if (moving) return 'No test while answers come in.';
  if (!split.exclusive) return 'No test: twins who chose several answers are in several groups.';
  const found = findings.of.get(question.questionId) ?? [];
  const [first] = found;
  if (first === undefined) return 'No test: too few answers, or all alike.';
  const by = `by ${split.name}`;
  const over = findings.tests === 1 ? '' : ` (Holm over ${findings.tests} tests)`;
  const rough = found.some((test) => test.rough) ? ' Few answers in many cells: p is rough.' : '';
  if (found.length === 1 && first.part === '') {
    const verdict = first.differs ? `Differs ${by}` : `No clear difference ${by}`;
    const said = `${verdict}: ${first.statistic}, ${probability(first.adjusted)}${over}, ${first.effect} (${first.size}).`;
    return `${said}${more(question, parts)}${differences(effectsOf(question, parts))}${rough}`;
  }
  const many = found.filter(({ differs }) => differs).length;
  const what = kind === 'several' ? 'options' : 'rows';
  const how = kind === 'several' ? 'χ² of each' : 'Welch’s test of each mean';
  const amount =
    many === 0
      ? `None of ${found.length}`
      : many === found.length
        ? `All ${many}`
        : `${many} of ${found.length}`;
  return `${amount} ${what} ${many === 1 ? 'differs' : 'differ'} ${by}: ${how}, p by Holm over ${findings.tests} tests.${rough}`;
}

/** Names the option that differs most, or the number of pairs of groups that differ. */
function more(question: QuestionSummary, parts: readonly Part[]): string {
  const kind = kindOf(question);
  const stated = parts.filter(({ name, figures }) => name !== NOT_STATED && figures.n > 0);
  if (kind === 'choice') {
    const gaps = question.counts.map(({ value }, index) => {
      const shares = stated.map(({ figures }) => figures.counts[index]?.share ?? 0);
      return { value, low: Math.min(...shares), high: Math.max(...shares) };
    });
    const widest = gaps.reduce((one, other) => (other.high - other.low > one.high - one.low ? other : one));
    return ` Widest: ${widest.value}, ${percent(widest.low)} to ${percent(widest.high)}.`;
  }
  const { differ, pairs } = kind === 'numbers' ? pairsOf(parts) : { differ: 0, pairs: 0 };
  return pairs > 1 ? ` ${differ === 0 ? 'None' : differ} of ${pairs} pairs differ (Holm).` : '';
}

/** The text at the end of a row: the effect and p; `long` adds the statistic. */
export const noteOf = ({ statistic, effect, adjusted }: Finding, long: boolean) =>
  long ? `${statistic}, ${probability(adjusted)}, ${effect}` : `${effect}, ${probability(adjusted)}`;

/** `p < .001`, `p = .012`. */
export const probability = (p: number) =>
  p < 0.001 ? 'p < .001' : p > 0.999 ? 'p > .999' : `p = ${p.toFixed(3).slice(1)}`;

/** Three figures that count. */
const figure = (value: number) => fixed(value, Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);

/** `V = .10`, `η² < .01`: hardly ever above 1, so without its zero. */
function effectWords(name: string, value: number): string {
  if (Math.abs(value) < 0.005) return `${name} < .01`;
  return `${name} = ${fixed(value).replace(/^(−?)0\./, '$1.')}`;
}

const sizeOf = (value: number, small: number, medium: number, large: number): Size =>
  value >= large ? 'large' : value >= medium ? 'medium' : value >= small ? 'small' : 'negligible';
