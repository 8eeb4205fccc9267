import Papa from 'papaparse';
import type { Table } from '@/api/design';

/** Rows of all tables together. */
const MAX_ROWS = 10_000;

export type Pasted = { table: Table } | { problem: string };

/** A table from what a spreadsheet or a CSV file holds; the first line names the columns. */
export function tableOf(text: string): Pasted {
  const { data, errors } = Papa.parse<string[]>(text.trim(), { skipEmptyLines: 'greedy' });
  const [error] = errors.filter(({ type }) => type === 'Quotes');
  if (error !== undefined) return { problem: `Line ${(error.row ?? 0) + 1}: ${error.message}` };
  const [head = [], ...rows] = data;
  const columns = head.map((name) => name.trim());
  const bad = columns.find((name) => !/^[A-Za-z][A-Za-z0-9_.]*$/.test(name));
  if (bad !== undefined)
    return { problem: `“${bad}” is no name of a column: a letter, then letters a-z, digits, _ and .` };
  const twice = columns.find((name, place) => columns.indexOf(name) !== place);
  if (twice !== undefined) return { problem: `Two columns are called “${twice}”` };
  if (rows.length === 0) return { problem: 'The first line names the columns; the rows come below it' };
  if (rows.length > MAX_ROWS) return { problem: `${rows.length} rows; ${MAX_ROWS} is the most` };
  const uneven = rows.findIndex((row) => row.length !== columns.length);
  if (uneven >= 0)
    return {
      problem: `Row ${uneven + 1} has ${rows[uneven]?.length} cells, and there are ${columns.length} columns`,
    };
  return { table: { columns, rows } };
}
