import { useState } from 'react';
import { Alert } from 'antd';
import type { LossReport } from '@/api/design';
import { useGet } from '@/api/hooks';
import { localEntry } from '@/api/kept';
import { date } from '@/ui/format';
import { ImportEntries } from './ImportReport';
import './ImportSurvey.css';

const programs = { qualtrics: 'Qualtrics', surveyjs: 'SurveyJS' } as const;

/** Kept by the browser: who has read it wants it no more. */
const readEntry = (surveyId: number) => localEntry('import-report-read-', surveyId);

/** The report on the file that the survey was made from, until somebody has read it. */
export function ImportedFrom({ surveyId }: { surveyId: number }) {
  const params = { path: { surveyId } };
  const [isRead, setRead] = useState(() => readEntry(surveyId).read() !== null);
  const found = useGet('/api/surveys/{surveyId}/import-report', { params }, { revalidateOnFocus: false });
  const made = found.data?.import;
  if (made == null || isRead) return null;
  const report = made.report as unknown as LossReport;
  const entries = [...report.changed, ...report.lost, ...report.dropped];
  const count = (severity: string, one: string) => {
    const number = entries.filter((entry) => entry.severity === severity).length;
    return number === 0 ? [] : [`${number} ${one}${number === 1 ? '' : 's'}`];
  };
  const counts = [...count('error', 'error'), ...count('warning', 'warning'), ...count('note', 'note')];
  const program = programs[made.source as keyof typeof programs] ?? made.source;
  return (
    <Alert
      type={counts.some((one) => one.includes('error')) ? 'error' : 'info'}
      role="status"
      closable={{
        closeIcon: true,
        'aria-label': 'Hide the report of the import',
        onClose: () => {
          readEntry(surveyId).write('yes');
          setRead(true);
        },
      }}
      title={`Imported from ${program}${made.importedAt == null ? '' : ` on ${date(made.importedAt)}`}${
        counts.length === 0 ? '' : `: ${counts.join(', ')}`
      }`}
      description={
        entries.length > 0 && (
          <details className="import-report stack gap-3 import-report-kept">
            <summary>What was changed, lost and dropped</summary>
            <ImportEntries report={report} />
          </details>
        )
      }
    />
  );
}
