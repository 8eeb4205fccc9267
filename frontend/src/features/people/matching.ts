import type { Compared } from '@/api/types';

type ReadFile = Compared['file'];

/** The user's choices for the file's columns and cells. The server matches the rest. */
export interface Choices {
  /** The columns of each question; empty for none. */
  columns: Readonly<Record<string, readonly string[]>>;
  /** An option or a number for each question and cell; null for missing. */
  recodes: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
  /** The column of each random node and the arms of its values; null for no column, and for no arm. */
  arms: Readonly<Record<string, ChosenArms>>;
  /** How questions are scored. */
  scales: Readonly<Record<string, Scale>>;
}

interface ChosenArms {
  column: string | null;
  values: Readonly<Record<string, string | null>>;
}

type Scale = NonNullable<Compared['scoring'][number]['scale']>;

export const NO_CHOICES: Choices = { columns: {}, recodes: {}, arms: {}, scales: {} };

export const isEmpty = (choices: Choices) =>
  Object.values(choices).every((said: object) => Object.keys(said).length === 0);

/** The column or the columns of each question; null for none. */
export function matchingOf({ columns }: Choices): Record<string, string | string[] | null> {
  const value = (own: readonly string[]) => (own.length > 1 ? [...own] : (own[0] ?? null));
  return Object.fromEntries(Object.entries(columns).map(([name, own]) => [name, value(own)]));
}

/** The form's fields beside the file. */
export function fieldsOf(choices: Choices): [name: string, json: string][] {
  const { recodes, arms, scales } = choices;
  const fields: [string, object][] = [
    ['matching', matchingOf(choices)],
    ['recodes', recodes],
    ['arms', arms],
    ['scales', scales],
  ];
  return fields
    .filter(([, object]) => Object.keys(object).length > 0)
    .map(([name, object]) => [name, JSON.stringify(object)]);
}

/** Another column has other cells: what was said of them goes. */
export function withColumns(choices: Choices, name: string, columns: readonly string[]): Choices {
  const recodes = Object.entries(choices.recodes).filter(([of]) => of !== name);
  return {
    ...choices,
    columns: { ...choices.columns, [name]: columns },
    recodes: Object.fromEntries(recodes),
  };
}

/** Another column has other values: what was said of them goes. */
export const withArmColumn = (choices: Choices, node: string, column: string | null): Choices => ({
  ...choices,
  arms: { ...choices.arms, [node]: { column, values: {} } },
});

/** Says which arm a value is. `column` is the column that was found. */
export function withArm(
  choices: Choices,
  node: string,
  column: string,
  value: string,
  arm: string | null,
): Choices {
  const own = choices.arms[node] ?? { column, values: {} };
  return {
    ...choices,
    arms: { ...choices.arms, [node]: { ...own, values: { ...own.values, [value]: arm } } },
  };
}

export const withScales = (choices: Choices, names: readonly string[], scale: Scale): Choices => ({
  ...choices,
  scales: { ...choices.scales, ...Object.fromEntries(names.map((name) => [name, scale])) },
});

/** `undefined` takes back what was said of a cell. */
export function withRecode(
  choices: Choices,
  name: string,
  cell: string,
  answer: string | null | undefined,
): Choices {
  const others = Object.entries(choices.recodes[name] ?? {}).filter(([of]) => of !== cell);
  const own = Object.fromEntries(answer === undefined ? others : [...others, [cell, answer]]);
  const rest = Object.entries(choices.recodes).filter(([of]) => of !== name);
  const recodes = Object.keys(own).length === 0 ? rest : [...rest, [name, own] as const];
  return { ...choices, recodes: Object.fromEntries(recodes) };
}

/** Cells of a question that are shown. */
export const MOST_CELLS = 20;

interface UnreadCell {
  cell: string;
  /** Null once it was recoded: the server no longer counts it. */
  count: number | null;
  /** Undefined: nothing was said of it. */
  answer: string | null | undefined;
}

export interface QuestionRow {
  name: string;
  text: string;
  options: readonly string[];
  hasSeveralAnswers: boolean;
  columns: readonly string[];
  how: string;
  cells: readonly UnreadCell[];
  /** Further kinds of cells that are no answer. */
  more: number;
}

const WAYS: Record<string, string> = {
  chosen: 'chosen',
  name: 'same name',
  similar_name: 'similar name',
  import_id: 'Qualtrics’ id',
  text: 'same text',
};

const same = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((name, place) => name === other[place]);

/** Every question with its column and the cells that are no answer, as the file was read and the user has said since. */
export function rowsOf(file: ReadFile, { columns, recodes }: Choices): QuestionRow[] {
  const matches = new Map(file.matched.map((match) => [match.name, match]));
  const unread = new Map<string, ReadFile['unread']>();
  for (const cell of file.unread) {
    const own = unread.get(cell.name);
    if (own === undefined) unread.set(cell.name, [cell]);
    else own.push(cell);
  }
  return file.questions.map(({ name, text, options, hasSeveralAnswers }) => {
    const match = matches.get(name);
    const found = match?.columns ?? [];
    const chosen = columns[name];
    const isCompared = chosen === undefined || same(chosen, found);
    const said = recodes[name] ?? {};
    const open = (unread.get(name) ?? []).toSorted((one, other) => other.count - one.count);
    const counts = new Map(open.map(({ cell, count }) => [cell, count]));
    // What was said of a cell stays in sight, however many others there are.
    const cells = [...new Set([...Object.keys(said), ...counts.keys()])];
    const shown = isCompared ? cells.slice(0, Math.max(MOST_CELLS, Object.keys(said).length)) : [];
    return {
      name,
      text,
      options,
      hasSeveralAnswers,
      columns: chosen ?? found,
      how: isCompared
        ? (WAYS[match?.by ?? ''] ?? (chosen === undefined ? 'no column fits' : 'chosen'))
        : 'not compared yet',
      cells: shown.map((cell) => ({ cell, count: counts.get(cell) ?? null, answer: said[cell] })),
      more: isCompared ? cells.length - shown.length : 0,
    };
  });
}

/** The question of each column. */
export const takenBy = (rows: readonly QuestionRow[]) =>
  new Map(rows.flatMap(({ name, columns }) => columns.map((column) => [column, name])));
