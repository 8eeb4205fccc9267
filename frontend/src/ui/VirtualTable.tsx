import { memo, useState, type ReactNode, type UIEvent } from 'react';
import './VirtualTable.css';

export interface VirtualColumn<Row> {
  key: string;
  title: ReactNode;
  /** In pixels. */
  width: number;
  align?: 'right' | undefined;
  render: (row: Row) => ReactNode;
}

/** As in `VirtualTable.css`, in pixels. */
const ROW_PX = 42;
const HEIGHT_PX = 588;
/** Rows drawn beyond those in sight, and how many are drawn anew at once. */
const SPARE = 8;
const STEP = 4;
const IN_SIGHT = Math.ceil(HEIGHT_PX / ROW_PX);

/** A table in a window of its own, of which only the rows in sight are drawn. The first column stays. */
export function VirtualTable<Row>({
  rows,
  keyOf,
  columns,
  name,
  busy = false,
}: {
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  /** The same object from one rendering to the next, so that rows need not be drawn again. */
  columns: readonly VirtualColumn<Row>[];
  name: string;
  /** Other rows are on their way. */
  busy?: boolean;
}) {
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.min(top, rows.length - IN_SIGHT) - SPARE);
  const end = Math.min(rows.length, top + IN_SIGHT + SPARE);
  const scrolled = ({ currentTarget }: UIEvent<HTMLDivElement>) =>
    setTop(Math.floor(currentTarget.scrollTop / ROW_PX / STEP) * STEP);

  return (
    <div
      className="virtual-table"
      role="region"
      aria-label={name}
      tabIndex={0}
      aria-busy={busy}
      onScroll={scrolled}
    >
      <table
        aria-rowcount={rows.length + 1}
        style={{ width: columns.reduce((all, { width }) => all + width, 0) }}
      >
        <colgroup>
          {columns.map(({ key, width }) => (
            <col key={key} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map(({ key, title, align }) => (
              <th key={key} scope="col" className={align}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap rows={first} />
          {rows.slice(first, end).map((row, index) => (
            <DrawnRow key={keyOf(row)} row={row} columns={columns} place={first + index + 2} />
          ))}
          <Gap rows={rows.length - end} />
        </tbody>
      </table>
    </div>
  );
}

/** As high as the rows that are not drawn. */
function Gap({ rows }: { rows: number }) {
  return rows > 0 && <tr aria-hidden="true" style={{ height: rows * ROW_PX }} />;
}

const DrawnRow = memo(RowCells) as typeof RowCells;

function RowCells<Row>({
  row,
  columns,
  place,
}: {
  row: Row;
  columns: readonly VirtualColumn<Row>[];
  /** Among all rows; the head is 1. */
  place: number;
}) {
  return (
    <tr aria-rowindex={place}>
      {columns.map(({ key, align, render }) => (
        <td key={key} className={align}>
          {render(row)}
        </td>
      ))}
    </tr>
  );
}
