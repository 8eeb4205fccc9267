import Papa from 'papaparse';
import { NothingToExport } from '@/api/saveFile';

/** A byte order mark, by which spreadsheets recognise UTF-8. */
const MARK = '\uFEFF';
/** The first characters of a text that a spreadsheet would run as a formula, half or full width. */
const FORMULA = /^\uFEFF*[=+\-@＝＋－＠\t\r]/;

/**
 * A run's rows for spreadsheets, from the server's raw CSV of them: as RFC 4180 with a byte order mark, an apostrophe
 * before text that a spreadsheet would run as a formula. The server's own CSV for spreadsheets has the same bytes.
 */
export function csvOf(raw: string): { file: string; rows: number } {
  const { data } = Papa.parse<string[]>(raw, { delimiter: ',', newline: '\r\n', skipEmptyLines: true });
  const [header, ...rows] = data;
  if (header === undefined) throw new NothingToExport('Data structure is invalid - no headers found');
  if (rows.length === 0) throw new NothingToExport('No data to export');
  const lines = Papa.unparse(
    data.map((row) => row.map(cell)),
    { newline: '\r\n' },
  );
  return { file: `${MARK}${lines}\r\n`, rows: rows.length };
}

function cell(text: string): string {
  return FORMULA.test(text) && !isNumber(text) ? `'${text}` : text;
}

/** Plain numbers are no formulas, whatever their sign. */
function isNumber(text: string): boolean {
  return /^[-+.eE\d]+$/.test(text) && !Number.isNaN(Number(text));
}
