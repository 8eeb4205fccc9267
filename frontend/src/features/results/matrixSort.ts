/** How Matrix View is sorted: by `persona`, a question's id, or one and a place among its sub-questions (`32-0`). */
export interface MatrixSort {
  column: string;
  down: boolean;
}

export const PERSONA = 'persona';

/** The order as the server names it: `question:32:row:1` for the column `32-0`. */
export function sortQuery(sort: MatrixSort | null): { sort?: string; order?: 'desc' } {
  if (sort === null) return {};
  const [id, place] = sort.column.split('-');
  const row = place === undefined ? '' : `:row:${Number(place) + 1}`;
  const column = sort.column === PERSONA ? PERSONA : `question:${id}${row}`;
  return { sort: column, ...(sort.down && { order: 'desc' }) };
}
