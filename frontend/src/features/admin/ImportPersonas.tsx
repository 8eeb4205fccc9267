import { useId, useState, type ChangeEvent } from 'react';
import { api, messageOf } from '@/api/client';
import type { ImportReport } from '@/api/types';
import { Banner } from '@/ui/Banner';
import { count } from '@/ui/format';

/** Uploads a CSV and reports, row by row, what could not be taken. */
export function ImportPersonas({ onDone }: { onDone: () => void }) {
  const id = useId();
  const [importing, setImporting] = useState(false);
  const [report, setReport] = useState<ImportReport | null>(null);
  const [error, setError] = useState<string | null>(null);

  const upload = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    if (file === undefined) return;
    const body = new FormData();
    body.append('file', file);
    setImporting(true);
    setReport(null);
    setError(null);
    try {
      setReport(await api.post('/api/personas/import/csv', { body }));
      onDone();
    } catch (failure) {
      setError(messageOf(failure, 'Failed to import the file'));
    } finally {
      setImporting(false);
      event.target.value = '';
    }
  };
  return (
    <div className="admin-import">
      <label htmlFor={id} className="button button-secondary button-sm">
        {importing ? 'Importing...' : 'Import CSV'}
      </label>
      <input
        id={id}
        className="visually-hidden"
        type="file"
        accept=".csv,text/csv"
        disabled={importing}
        onChange={(event) => void upload(event)}
      />
      {error !== null && <Banner type="error">{error}</Banner>}
      {report !== null && (
        <Banner type={report.rejected.length === 0 ? 'success' : 'warning'}>
          {count(report.imported)} imported, {count(report.rejected.length)} rejected
          {report.rejected.length > 0 && (
            <ul className="admin-rejected" tabIndex={0} aria-label="Rejected rows">
              {report.rejected.map(({ line, column, message }) => (
                <li key={`${line}-${column}`}>
                  Line {line}
                  {column !== null && `, ${column}`}: {message}
                </li>
              ))}
            </ul>
          )}
        </Banner>
      )}
    </div>
  );
}
