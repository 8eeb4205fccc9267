import { useState, type ReactNode } from 'react';
import { Pager } from './Pager';
import './DataTable.css';

export interface Column<Row> {
  key: string;
  /** Its head; where the table is too narrow for columns, it stands before each cell. */
  title: string;
  /** What the head shows instead of its title. */
  head?: ReactNode;
  /** What rows are about, and what can be done to them, needs no title before it. */
  untitled?: boolean;
  align?: 'right';
  /** Of CSS; without one the content decides. */
  width?: string;
  render: (row: Row) => ReactNode;
}

/** Rows that the server hands out page by page; 1 is the first page. */
export interface Paged {
  page: number;
  size: number;
  total: number;
  onChange: (page: number) => void;
}

const PAGE = 20;

/** A table that becomes a list of cards on a phone, so that nothing of a row is out of sight. */
export function DataTable<Row>({
  rows,
  keyOf,
  columns,
  name,
  size = PAGE,
  paged,
  empty,
}: {
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  columns: readonly Column<Row>[];
  /** What the rows are: `surveys`. */
  name: string;
  /** Rows in a page, where all rows are here. */
  size?: number;
  paged?: Paged;
  /** Stands in for the rows where there are none. */
  empty?: ReactNode;
}) {
  const [wanted, setWanted] = useState(1);
  const page = Math.min(wanted, Math.max(1, Math.ceil(rows.length / size)));
  const shown = paged === undefined ? rows.slice((page - 1) * size, page * size) : rows;
  // The roles are those that the elements have anyway, until CSS makes cards of them.
  return (
    <>
      <div className="data-table">
        <table role="table">
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ key, title, head, align, width }) => (
                <th key={key} role="columnheader" scope="col" className={align} style={{ width }}>
                  {head ?? title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {shown.map((row) => (
              <tr key={keyOf(row)} role="row">
                {columns.map(({ key, title, untitled, align, render }) => (
                  <td key={key} role="cell" className={align} data-title={untitled ? undefined : title}>
                    {render(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <p className="muted">{empty}</p>}
      </div>
      <Pager {...(paged ?? { page, size, total: rows.length, onChange: setWanted })} name={name} />
    </>
  );
}
