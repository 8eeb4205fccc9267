import { useState } from 'react';
import { Alert, Button, Upload } from 'antd';
import { api, messageOf } from '@/api/client';
import type { ImportReport } from '@/api/types';
import { count } from '@/ui/format';
import { ImportDialog } from './ImportDialog';

/** Uploads a CSV and reports, row by row, what could not be taken. */
export function ImportPersonas({ onDone }: { onDone: () => void }) {
  const [chosen, setChosen] = useState<File | null>(null);
  const [importing, setImporting] = useState(false);
  const [report, setReport] = useState<ImportReport | null>(null);
  const [error, setError] = useState<string | null>(null);

  const upload = async (file: File, dataset: string | null) => {
    const form = new FormData();
    form.append('file', file);
    if (dataset !== null) form.append('dataset', dataset);
    setChosen(null);
    setImporting(true);
    setReport(null);
    setError(null);
    try {
      // The schema has no type for a form of files.
      setReport(await api.post('/api/personas/import/csv', { body: form as never }));
      onDone();
    } catch (failure) {
      setError(messageOf(failure, 'Failed to import the file'));
    } finally {
      setImporting(false);
    }
  };
  return (
    <div className="admin-import">
      <Upload
        accept=".csv,.tsv,.txt,.xlsx,.gz,.jsonl,.parquet,text/csv"
        aria-label="Import CSV"
        hasControlInside
        showUploadList={false}
        beforeUpload={(file) => {
          setChosen(file);
          return false;
        }}
      >
        <Button color="primary" variant="filled" size="small" loading={importing} disabled={importing}>
          {importing ? 'Importing...' : 'Import CSV'}
        </Button>
      </Upload>
      {chosen !== null && (
        <ImportDialog
          file={chosen}
          onImport={(dataset) => void upload(chosen, dataset)}
          onClose={() => setChosen(null)}
        />
      )}
      {error !== null && <Alert type="error" title={error} />}
      {report !== null && (
        <Alert
          type={report.rejected.length === 0 ? 'success' : 'warning'}
          role="status"
          title={`${count(report.imported)} imported, ${count(report.rejected.length)} rejected`}
          description={report.rejected.length > 0 && <Rejected rows={report.rejected} />}
        />
      )}
    </div>
  );
}

function Rejected({ rows }: { rows: ImportReport['rejected'] }) {
  return (
    <ul className="admin-rejected" tabIndex={0} aria-label="Rejected rows">
      {rows.map(({ line, column, message }) => (
        <li key={`${line}-${column}`}>
          Line {line}
          {column !== null && `, ${column}`}: {message}
        </li>
      ))}
    </ul>
  );
}
