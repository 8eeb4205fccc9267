import { Alert, Tag } from 'antd';
import type { ImportEntry, LossReport } from '@/api/design';

/** The server's report on a file. */
export interface ForeignSurvey {
  title: string;
  report: LossReport;
}

const colors = { error: 'error', warning: 'warning', note: 'default' } as const;

/** The report on another program's file: what an import keeps, changes, loses and drops. */
export function ImportReport({ found: { report, title } }: { found: ForeignSurvey }) {
  const { kept, changed, lost, dropped } = report;
  const all = [...changed, ...lost, ...dropped];
  const count = (severity: ImportEntry['severity']) =>
    all.filter((entry) => entry.severity === severity).length;
  const errors = count('error');
  return (
    <div className="import-report stack gap-3" role="status">
      {errors > 0 ? (
        <Alert
          type="error"
          title={`“${title}” cannot be run as it is`}
          description="Mend what is marked as an error where the survey was made and export it again, or import it as a draft."
        />
      ) : (
        <Alert type={count('warning') > 0 ? 'warning' : 'success'} title={`“${title}” can be imported`} />
      )}
      <p>
        {kept.asked} of {kept.questions} questions are asked ({kept.live} are in the flow). Errors: {errors},
        warnings: {count('warning')}, notes: {count('note')}.
      </p>
      <ImportEntries report={report} />
    </div>
  );
}

/** All that is not as it was, folded up where it is notes alone. */
export function ImportEntries({ report: { changed, lost, dropped } }: { report: LossReport }) {
  return (
    <>
      <Entries name="Changed" entries={changed} />
      <Entries name="Lost" entries={lost} />
      <Entries name="Dropped" entries={dropped} />
    </>
  );
}

const order = ['error', 'warning', 'note'];

function Entries({ name, entries }: { name: string; entries: ImportEntry[] }) {
  if (entries.length === 0) return null;
  const sorted = entries.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
  return (
    <details open={sorted[0]?.severity !== 'note'}>
      <summary>
        {name} ({entries.length})
      </summary>
      <ul className="stack gap-2 list small">
        {sorted.map(({ qid, name, code, severity, was, now }, index) => (
          <li key={index} className="line long-word">
            <Tag color={colors[severity]}>{severity}</Tag>
            <span>
              <code>{[name, qid].filter((part) => part !== undefined).join(' · ') || code}</code> {was}
              {now !== '' && (
                <>
                  {' '}
                  <span aria-hidden="true">→</span> <span className="visually-hidden">is now</span> {now}
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
