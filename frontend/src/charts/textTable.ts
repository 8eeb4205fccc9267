import type { QuestionSummary, Texts } from '@/api/types';
import { count } from '@/ui/format';
import { percent } from '@/ui/numbers';
import { plainText } from '@/ui/piped';
import { ALL, type Part } from './figures';
import type { Cell, Table } from './table';

/** How many gave an answer of a theme, or a text: all twins, or a group. */
interface Tally {
  kind: 'theme' | 'text';
  answer: string;
  counts: { group: string; n: number; count: number }[];
}

function talliesOf({ n }: QuestionSummary, groups: readonly Part[], { themes, texts }: Texts): Tally[] {
  const tally = (kind: Tally['kind'], answer: string, all: number, of: (group: string) => number) => ({
    kind,
    answer,
    counts: [
      { group: ALL, n, count: all },
      ...groups.map(({ name, figures }) => ({ group: name, n: figures.n, count: of(name) })),
    ],
  });
  return [
    ...themes.map((theme) =>
      tally(
        'theme',
        theme.name,
        theme.n,
        (group) => theme.groups.find(({ value }) => value === group)?.count ?? 0,
      ),
    ),
    ...texts.map((given) =>
      tally(
        'text',
        given.text,
        given.count,
        (group) => given.groups.find(({ value }) => value === group)?.n ?? 0,
      ),
    ),
  ];
}

/** Themes and texts in words: a column per group. */
export function tableOfTexts(question: QuestionSummary, groups: readonly Part[], texts: Texts): Table {
  return {
    head: ['Kind', 'Answer', ALL, ...groups.map(({ name }) => name)],
    lines: talliesOf(question, groups, texts).map(({ kind, answer, counts }) => [
      kind,
      answer,
      ...counts.map((each) =>
        each.n === 0 ? '–' : `${percent(each.count / each.n, 1)} (${count(each.count)})`,
      ),
    ]),
  };
}

/** Lines for programs: one per theme or text and group. */
export function tidyOfTexts(question: QuestionSummary, groups: readonly Part[], texts: Texts): Cell[][] {
  const lines = talliesOf(question, groups, texts).flatMap(({ kind, answer, counts }) =>
    counts.map((each): Cell[] => [
      plainText(question.text),
      kind,
      answer,
      each.group,
      each.n,
      each.count,
      each.n === 0 ? null : each.count / each.n,
    ]),
  );
  return [['question', 'kind', 'answer', 'group', 'n', 'count', 'share'], ...lines];
}
