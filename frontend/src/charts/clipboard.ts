import { clipboardOf, type Table } from './table';

type Content = Blob | Promise<Blob>;

/** Puts contents on the clipboard, by media type. */
export const copy = (contents: Record<string, Content>) =>
  navigator.clipboard.write([new ClipboardItem(contents)]);

/** Copies a table for spreadsheets and texts. A table may still be loaded: browsers want the call at the click. */
export function copyTable(table: Table | Promise<Table>): Promise<void> {
  const both = Promise.resolve(table).then(clipboardOf);
  return copy({
    'text/plain': both.then(({ text }) => new Blob([text], { type: 'text/plain' })),
    'text/html': both.then(({ html }) => new Blob([html], { type: 'text/html' })),
  });
}
