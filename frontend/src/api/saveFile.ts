/** Browsers that read the file after the click still find it. */
const KEPT_MS = 60_000;

/** There is nothing that a file could be made of. */
export class NothingToExport extends Error {}

/** Checks a table before it is saved: it has rows, and a line that names its columns. */
export function checkTable(file: Blob, rows: number): void {
  if (rows === 0) throw new NothingToExport('No data to export');
  if (file.size === 0) throw new NothingToExport('Data structure is invalid - no headers found');
}

/** Hands the browser a file to keep. Throws where it has no name. */
export function saveFile(content: Blob, name: string): void {
  if (name.trim() === '') throw new Error('Invalid filename provided');
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

/** Letters of a title in the name of a file. */
const MAX_TITLE = 60;

/** The name of a file, with the words of a title in it: `survey-3-morning-coffee`. */
export function titledName(name: string, title: string): string {
  const words =
    title
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let titled = name;
  for (const word of words) {
    if (titled.length + word.length > name.length + MAX_TITLE) break;
    titled += `-${word}`;
  }
  return titled;
}

/** Hands the browser the workbook of a run. Throws where nothing came. */
export function saveWorkbook(workbook: Blob, simulationId: string): void {
  if (workbook.size === 0) throw new NothingToExport('No sheets to export');
  saveFile(workbook, `simulation-${simulationId}-responses-complete.xlsx`);
}
