import type { ReactNode } from 'react';
import type { Deviation } from '@/runs/plan/form';
import { fieldWords } from '@/runs/plan/words';
import { DataTable, type Column } from '@/ui/DataTable';
import { dateAndTime } from '@/ui/format';
import './plans.css';

type Row = Pick<Deviation, 'at' | 'field' | 'before' | 'after' | 'reason'> & { id?: number };

/** Deviations from a plan, in the order in which they happened. */
export function DeviationTable<Of extends Row>({
  rows,
  further = [],
  reasonOf = ({ reason }) => reason ?? '–',
}: {
  rows: readonly Of[];
  /** Columns beside those that everybody sees. */
  further?: readonly Column<Of>[];
  reasonOf?: (row: Of) => ReactNode;
}) {
  if (rows.length === 0) return <p className="muted">None so far.</p>;
  const columns: Column<Of>[] = [
    {
      title: 'What',
      key: 'what',
      untitled: true,
      render: (_, row) => (
        <>
          {fieldWords(row)}
          <div className="muted">{dateAndTime(row.at)}</div>
        </>
      ),
    },
    { title: 'Planned', key: 'before', width: '22%', render: (_, { before }) => <Value text={before} /> },
    { title: 'Done', key: 'after', width: '22%', render: (_, { after }) => <Value text={after} /> },
    ...further,
    { title: 'Reason', key: 'reason', width: '22%', render: (_, row) => reasonOf(row) },
  ];
  return (
    <DataTable
      rows={rows}
      rowKey={(row) => `${row.at} ${row.field} ${row.after ?? ''}`}
      columns={columns}
      name="deviations"
    />
  );
}

/** Long ones, as a whole flow is, scroll. */
const Value = ({ text }: { text: string | null | undefined }) => (
  // A region that scrolls can be reached by the keyboard.
  <div
    className="plan-value"
    {...((text?.length ?? 0) > 200 && { tabIndex: 0, role: 'group', 'aria-label': 'Value' })}
  >
    {text ?? '–'}
  </div>
);
