import Papa from 'papaparse';
import { NothingToExport } from '@/ui/saveFile';

/**
 * Rows as RFC 4180 with a byte order mark, for spreadsheets: quoted where a cell holds a comma, quote or newline; null
 * becomes empty; a text that a spreadsheet would run as a formula starts with an apostrophe.
 */
export function csvText(rows: readonly object[]): string {
  const [first] = rows;
  if (first === undefined) throw new NothingToExport('No data to export');
  const columns = Object.keys(first);
  if (columns.length === 0) throw new NothingToExport('Data structure is invalid - no headers found');
  const cells = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(value)])),
  );
  return `\uFEFF${Papa.unparse(cells, { columns, escapeFormulae: true })}\r\n`;
}

export function csvFile(rows: readonly object[]): Blob {
  return new Blob([csvText(rows)], { type: 'text/csv;charset=utf-8' });
}

/** Lists and objects as JSON, all else as it is. */
function cell(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
