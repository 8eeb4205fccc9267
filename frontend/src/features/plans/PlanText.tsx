import { fieldWords, sections } from './words';
import type { Deviation, PlanDocument } from './form';
import { DataTable, type Column } from '@/ui/DataTable';
import { dateAndTime } from '@/ui/format';
import './plans.css';

/** What a plan says, to be read. */
export function PlanText({ plan }: { plan: PlanDocument }) {
  return (
    <div className="plan-text">
      {sections(plan).map(({ heading, text, facts }) => (
        <section key={heading}>
          <h3>{heading}</h3>
          {text !== '' && <p>{text}</p>}
          {facts.length > 0 && (
            <ul>
              {facts.map((fact) => (
                <li key={fact}>{fact}</li>
              ))}
            </ul>
          )}
          {text === '' && facts.length === 0 && <p className="muted">Not stated.</p>}
        </section>
      ))}
    </div>
  );
}

type Row = Pick<Deviation, 'at' | 'field' | 'before' | 'after' | 'reason'> & { id?: number };

/** What was done otherwise, the first first. */
export function DeviationTable<Of extends Row>({
  rows,
  further = [],
}: {
  rows: readonly Of[];
  /** Columns beside those that everybody sees. */
  further?: readonly Column<Of>[];
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
