import { useState } from 'react';
import { Empty, Pagination, Table, type TableColumnType, type TableProps } from 'antd';
import { count } from './format';
import './DataTable.css';

/** A column of antd's. Where the table is too narrow for columns, the title stands before each cell. */
export type Column<Row> = TableColumnType<Row> & {
  /** No title before the cell: what a row is about, and what can be done to it. */
  untitled?: boolean;
};

/** One page of a list, 1 is the first. */
export interface Paged {
  page: number;
  size: number;
  total: number;
  onChange: (page: number) => void;
}

/**
 * antd's table with the product's paging. It becomes a list of cards on a phone, unless it scrolls (`scroll`).
 */
export function DataTable<Row extends object>({
  rows,
  columns,
  name,
  size = 20,
  turned,
  paged,
  empty,
  ...table
}: Omit<TableProps<Row>, 'dataSource' | 'columns' | 'pagination' | 'size' | 'locale'> & {
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  /** The noun for the rows: `surveys`. */
  name: string;
  /** Rows in a page, where all rows are here. */
  size?: number;
  /** The page and what turns it, where all rows are here and the page is kept elsewhere, as in the address. */
  turned?: readonly [page: number, turn: (page: number) => void];
  /** The paging, where the server hands out the rows page by page. */
  paged?: Paged;
  /** Stands in for the rows where there are none. */
  empty?: string | undefined;
}) {
  const own = useState(1);
  const [wanted, turn] = turned ?? own;
  const page = Math.min(wanted, Math.max(1, Math.ceil(rows.length / size)));
  return (
    <>
      <Table<Row>
        {...table}
        // A scrolled table starts at its top again with another page.
        key={paged?.page}
        data-rows
        className={table.scroll === undefined ? 'data-table tabular' : 'wide-table tabular'}
        columns={columns.map(titled)}
        dataSource={paged === undefined ? rows.slice((page - 1) * size, page * size) : rows}
        pagination={false}
        locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={empty} /> }}
      />
      <Pager {...(paged ?? { page, size, total: rows.length, onChange: turn })} name={name} />
    </>
  );
}

function titled<Row>({ untitled = false, ...given }: Column<Row>): TableColumnType<Row> {
  // Where other columns are long, a column without a width of its own keeps room for a word.
  const column =
    given.width === undefined ? { ...given, className: `data-flexible ${given.className ?? ''}` } : given;
  if (untitled || typeof column.title !== 'string') return column;
  return { ...column, onCell: () => ({ 'data-title': column.title }) as object };
}

/** The range of rows that is shown, and the links to other pages; empty if all rows are shown. */
function Pager({ page, size, total, name, onChange }: Paged & { name: string }) {
  if (total <= size) return null;
  return (
    <nav className="pager" aria-label={`Pages of ${name}`}>
      <Pagination
        current={page}
        pageSize={size}
        total={total}
        onChange={onChange}
        showSizeChanger={false}
        showLessItems
        showTotal={(all, [from, to]) => `${count(from)} to ${count(to)} of ${count(all)} ${name}`}
        itemRender={(target, type, original) => {
          if (type === 'prev' || type === 'next') {
            return (
              <button type="button" tabIndex={-1} className="ant-pagination-item-link">
                {type === 'prev' ? 'Previous' : 'Next'}
              </button>
            );
          }
          if (type !== 'page') return original;
          return (
            <button
              type="button"
              tabIndex={-1}
              aria-label={`Page ${target}`}
              aria-current={target === page ? 'page' : undefined}
            >
              {count(target)}
            </button>
          );
        }}
      />
    </nav>
  );
}
