import type { QuestionSummary } from '@/api/types';
import { count } from '@/ui/format';
import { percent } from '@/ui/numbers';
import { plainText } from '@/ui/piped';
import { binName } from './bins';
import { emptyRating, kindOf, ratingsOf, type Part, type Rating } from './figures';
import { meanInterval, meanText } from './intervals';
import type { GroupTest, TestRule } from './tests';

/** A table in words: a column per group. */
export interface Table {
  head: string[];
  lines: string[][];
}

/** A part of a question that is answered with one of several answers: a row of a matrix, or all of it. */
interface Series {
  row: string;
  every: { name: string; rating: Rating }[];
  /** Answers have ranks, or are numbers: there is a mean. */
  mean: boolean;
}

function seriesOf(question: QuestionSummary, every: readonly Part[]): Series[] {
  const kind = kindOf(question);
  if (kind === 'agreement' || kind === 'means') {
    return ratingsOf(question).map(({ row }, index) => ({
      row,
      mean: true,
      every: every.map(({ name, figures }) => ({
        name,
        rating: ratingsOf(figures)[index] ?? emptyRating(row),
      })),
    }));
  }
  const numbers = kind === 'numbers';
  return [
    {
      row: '',
      mean: numbers,
      every: every.map(({ name, figures }) => {
        const { counts, bins } = figures;
        const tallies = numbers ? bins.map((bin) => ({ ...bin, value: binName(bin) })) : counts;
        return { name, rating: { ...figures, row: '', counts: tallies } };
      }),
    },
  ];
}

/** The figures of a chart as a table in words; `every` is all twins and then the groups. */
export function tableOf(question: QuestionSummary, every: readonly Part[]): Table {
  const series = seriesOf(question, every);
  const rowed = series.some(({ row }) => row !== '');
  const lines = series.flatMap(({ row, every: all, mean }) => {
    const line = (answer: string, cell: (rating: Rating) => string) => [
      ...(rowed ? [row] : []),
      answer,
      ...all.map(({ rating }) => cell(rating)),
    ];
    const answers = all[0]?.rating.counts.map(({ value }) => value) ?? [];
    return [
      line('n', ({ n }) => count(n)),
      ...answers.map((answer) =>
        line(answer, ({ n, counts }) => {
          const tally = counts.find(({ value }) => value === answer);
          const given = tally?.probability;
          const probability = given == null ? '' : `, probability ${percent(given.mean, 1)}`;
          return n === 0
            ? '–'
            : `${percent(tally?.share ?? 0, 1)} (${count(tally?.count ?? 0)})${probability}`;
        }),
      ),
      ...(mean ? [line('Mean ± 95 % CI', meanText), line('SD', ({ sd }) => sd?.toFixed(2) ?? '–')] : []),
    ];
  });
  return { head: [...(rowed ? ['Row'] : []), 'Answer', ...every.map(({ name }) => name)], lines };
}

/** A cell of a file for programs. */
export type Cell = string | number | null;

const FIGURES = ['row', 'answer', 'group', 'n', 'count', 'share', 'ci95_low', 'ci95_high', 'mean', 'sd'];
const TEST = [
  ['test', 'statistic', 'df', 'df2', 'p', 'p_adjusted', 'adjustment', 'family_size', 'alpha', 'verdict'],
  ['effect_measure', 'effect', 'effect_ci95_low', 'effect_ci95_high', 'analysis', 'rule'],
].flat();

/** A line for the test of a row, of an option or of the whole question. */
function testLine(test: GroupTest, isOption: boolean, rule: TestRule): Cell[] {
  const { part, method, statistic, df, df2, p, adjustedP, adjustment, familySize, alpha, verdict } = test;
  const { effectMeasure, effect, effectLow, effectHigh, analysis } = test;
  const cells = [
    isOption ? ['', part] : [part, '(test)'],
    ['(all groups)', null, null, null, null, null, null, null],
    [method, statistic, df, df2, p, adjustedP, adjustment, familySize, alpha, verdict],
    [effectMeasure, effect, effectLow, effectHigh, analysis, rule.words],
  ];
  return cells.flat().map((cell) => cell ?? null);
}

/**
 * Lines for programs: one per answer and group, with shares and the ends of their intervals as numbers, and one per test of the
 * groups. No tests without a `rule`.
 */
export function tidyOf(question: QuestionSummary, every: readonly Part[], rule: TestRule | null): Cell[][] {
  const lines = seriesOf(question, every).flatMap(({ row, every: all, mean }) =>
    all.flatMap(({ name, rating }): Cell[][] => {
      const { n, counts } = rating;
      const answers = counts.map(({ value, count: number, share, low, high }): Cell[] => {
        return [row, value, name, n, number, n === 0 ? null : share, low ?? null, high ?? null, null, null];
      });
      const { low = null, high = null } = meanInterval(rating) ?? {};
      return mean
        ? [
            ...answers,
            [row, '(mean)', name, n, null, null, low, high, rating.mean ?? null, rating.sd ?? null],
          ]
        : answers;
    }),
  );
  const untested = TEST.map(() => null);
  const isOption = kindOf(question) === 'several';
  const tests = rule === null ? [] : question.tests.map((test) => testLine(test, isOption, rule));
  const all = [...lines.map((line) => [...line, ...untested]), ...tests];
  return [['question', ...FIGURES, ...TEST], ...all.map((line) => [plainText(question.text), ...line])];
}

/** RFC 4180 with a byte order mark; an apostrophe before text that a spreadsheet would run as a formula. */
export function csvOf(lines: readonly (readonly Cell[])[]): string {
  const cell = (value: Cell) => {
    if (typeof value === 'number') return String(value);
    const text = /^[=+\-@＝＋－＠\t\r]/.test(value ?? '') ? `'${value}` : (value ?? '');
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `\uFEFF${lines.map((line) => line.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** The table in the formats that spreadsheets and texts take from the clipboard. */
export function clipboardOf({ head, lines }: Table): { text: string; html: string } {
  const rows = [head, ...lines];
  const escaped = (text: string) =>
    text.replace(/[&<>]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[letter] ?? letter);
  const html = rows.map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`);
  return {
    text: rows.map((row) => row.map((cell) => cell.replace(/[\t\r\n]+/g, ' ')).join('\t')).join('\n'),
    html: `<table>${html.join('')}</table>`,
  };
}
