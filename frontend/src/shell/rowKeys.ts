import { openDialog } from '@/ui/keys';

const ROWS = 'tbody > tr.ant-table-row';

/**
 * Moves the focus to what opens the next row (1) or the previous one (-1) of the list that has the focus, else of the
 * first one; false where there is no list.
 */
export function moveRow(by: 1 | -1): boolean {
  const focused = document.activeElement;
  const shown: ParentNode = openDialog() ?? document.getElementById('content') ?? document;
  const table = focused?.closest('[data-rows]') ?? shown.querySelector('[data-rows]');
  const rows = [...(table?.querySelectorAll(ROWS) ?? [])];
  if (rows.length === 0) return false;
  const now = rows.findIndex((row) => row.contains(focused));
  const next = now === -1 ? (by === 1 ? 0 : rows.length - 1) : now + by;
  const row = rows[Math.min(Math.max(next, 0), rows.length - 1)];
  if (row instanceof HTMLElement) focusRow(row);
  return true;
}

/** Enter on a link or button is the browser's. A row without one is only gone through. */
function focusRow(row: HTMLElement): void {
  const opens = row.querySelector<HTMLElement>('a[href]') ?? row.querySelector<HTMLElement>('button:enabled');
  if (opens === null) row.tabIndex = -1;
  (opens ?? row).focus();
}
