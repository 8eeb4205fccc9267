import type { components } from '@/api/schema';
import type { QuestionSummary } from '@/api/types';
import { fixed, percent } from '@/ui/numbers';
import { effectWords } from './effects';
import { kindOf, type Part } from './figures';
import { NOT_STATED } from './palette';
import type { Split } from './split';

type Schemas = components['schemas'];
/** The test of groups in a question, in a row of it or in an option, as the server computes it. */
export type GroupTest = Schemas['GroupTest'];
export type TestRule = Schemas['GroupTestRule'];

export const adjustmentNames: Record<Schemas['Multiplicity'], string> = {
  benjamini_hochberg: 'Benjamini and Hochberg',
  holm: 'Holm',
  bonferroni: 'Bonferroni',
  none: 'Not corrected',
};

/** A test with a result. */
export interface Finding extends GroupTest {
  statistic: number;
  df: number;
  p: number;
  adjustedP: number;
  effect: number;
}

/** The tests that have a result: not those of too few answers, or of answers that are all alike. */
export const findingsOf = (question: Pick<QuestionSummary, 'tests'>): Finding[] =>
  question.tests.filter((test): test is Finding => test.p != null);

/** `Holm over 5 tests`, `not corrected`. */
function correction({ adjustment, familySize }: Pick<GroupTest, 'adjustment' | 'familySize'>): string {
  if (adjustment === 'none') return 'not corrected';
  return `${adjustmentNames[adjustment]} over ${familySize} ${familySize === 1 ? 'test' : 'tests'}`;
}

/** `p by Holm over 5 tests`; of several families, which a frozen plan has, without their sizes. */
export function correctionWords(tests: readonly GroupTest[]): string {
  const [first] = tests;
  if (first === undefined) return 'no tests';
  if (first.adjustment === 'none') return 'p not corrected';
  return new Set(tests.map(({ familySize }) => familySize)).size === 1
    ? `p by ${correction(first)}`
    : `p by ${adjustmentNames[first.adjustment]} over each family of tests`;
}

/** Sentences on the tests of a question; empty where it is not split. */
export function findingWords(
  question: QuestionSummary,
  parts: readonly Part[],
  split: Split | null,
  moving: boolean,
): string {
  const kind = kindOf(question);
  if (split === null || kind === 'texts') return '';
  if (parts.length === 0) return 'The groups are made by this question.';
  if (moving) return 'No test while answers come in.';
  if (!split.exclusive) return 'No test: twins who chose several answers are in several groups.';
  const found = findingsOf(question);
  const [first] = found;
  if (first === undefined) return 'No test: too few answers, or all alike.';
  const by = `by ${split.name}`;
  const rough = found.some(({ isRough }) => isRough) ? ' Few answers in many cells: p is rough.' : '';
  const planned = plannedWords(found);
  if (found.length === 1 && first.part === '') {
    const verdict = first.verdict === 'differs' ? `Differs ${by}` : `No clear difference ${by}`;
    const over = first.familySize === 1 ? '' : ` (${correction(first)})`;
    const effect = `${effectOf(first)} (${[first.effectSize, intervalOf(first)].filter(Boolean).join(', ')})`;
    const said = `${verdict}: ${statisticWords(first)}, ${probability(first.adjustedP)}${over}, ${effect}.`;
    return `${said}${more(question, parts, first)}${effectWords(question, parts)}${rough}${planned}`;
  }
  const many = found.filter(({ verdict }) => verdict === 'differs').length;
  const what = kind === 'several' ? 'options' : 'rows';
  const how = kind === 'several' ? 'χ² of each' : 'Welch’s test of each mean';
  const amount =
    many === 0
      ? `None of ${found.length}`
      : many === found.length
        ? `All ${many}`
        : `${many} of ${found.length}`;
  return `${amount} ${what} ${many === 1 ? 'differs' : 'differ'} ${by}: ${how}, ${correctionWords(found)}.${rough}${planned}`;
}

/** Whether the frozen plan names the tests; empty without a plan, and where it names some of them. */
function plannedWords(found: readonly Finding[]): string {
  const kinds = new Set(found.map(({ analysis }) => analysis));
  const [kind] = kinds;
  if (kind == null) return '';
  if (kinds.size > 1) return ' Some of these tests are preregistered.';
  return kind === 'preregistered'
    ? ' Preregistered.'
    : ' Exploratory: the frozen plan does not name this test.';
}

/** Says which option differs most, or how many pairs of groups do. */
function more(question: QuestionSummary, parts: readonly Part[], test: Finding): string {
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
  const { pairs, pairsDiffering, adjustment } = test;
  if (kind !== 'numbers' || pairs == null || pairs < 2) return '';
  const by = adjustment === 'none' ? '' : ` (${adjustmentNames[adjustment]})`;
  return ` ${pairsDiffering === 0 ? 'None' : pairsDiffering} of ${pairs} pairs differ${by}.`;
}

/** The text at the end of a row: the effect and p; `long` adds the statistic. */
export function noteOf(test: Finding, long: boolean): string {
  const [effect, p] = [effectOf(test), probability(test.adjustedP)];
  return long ? `${statisticWords(test)}, ${p}, ${effect}` : `${effect}, ${p}`;
}

/** `χ²(16) = 83.8`, `Welch t(38) = 3.16`, `Welch F(2, 38) = 4.11`. */
export function statisticWords({ method, statistic, df, df2 }: Finding): string {
  if (method === 'chi_squared') return `χ²(${df}) = ${figure(statistic)}`;
  if (method === 'welch_t') return `Welch t(${df.toFixed(0)}) = ${figure(statistic)}`;
  return `Welch F(${df}, ${df2?.toFixed(0) ?? '–'}) = ${figure(statistic)}`;
}

/** `V = .10`, `η² < .01`: hardly ever above 1, so without its zero. */
export function effectOf({ effectMeasure, effect }: Finding): string {
  const name = { v: 'V', d: 'd', eta_squared: 'η²' }[effectMeasure];
  if (Math.abs(effect) < 0.005) return `${name} < .01`;
  return `${name} = ${fixed(effect).replace(/^(−?)0\./, '$1.')}`;
}

/** `95 % CI .06 to .34`; empty where there is none. */
export function intervalOf({ effectLow, effectHigh }: Pick<GroupTest, 'effectLow' | 'effectHigh'>): string {
  if (effectLow == null || effectHigh == null) return '';
  const [low, high] = [effectLow, effectHigh].map((end) => fixed(end).replace(/^(−?)0\./, '$1.'));
  return `95 % CI ${low} to ${high}`;
}

/** `p < .001`, `p = .012`. */
export const probability = (p: number) =>
  p < 0.001 ? 'p < .001' : p > 0.999 ? 'p > .999' : `p = ${p.toFixed(3).slice(1)}`;

/** Three figures that count. */
const figure = (value: number) => fixed(value, Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
