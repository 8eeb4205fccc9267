import { useState } from 'react';
import { Alert, Button, Checkbox, Form, Upload } from 'antd';
import { FigureHelp } from '@/ui/FigureHelp';
import { ColumnFields, NO_COLUMNS } from './ColumnFields';
import { NO_SHARES, sharesOf } from './margins';

/** A file of people's answers with what its columns are. */
export interface SentFile {
  file: File;
  /** The call's query. */
  query: Record<string, string>;
  /** Fields of the form, in JSON. */
  shares: Record<'margins' | 'cellShares' | 'formulas', Record<string, unknown>>;
  /** Stores it for the survey; otherwise it is read, compared and forgotten. */
  isKept: boolean;
}

/** Chooses a file of people's answers and says what its columns are. */
export function PeopleFile({
  canKeep,
  busy,
  error,
  onChoose,
  onSend,
}: {
  canKeep: boolean;
  busy: boolean;
  error: string | null;
  onChoose: () => void;
  onSend: (sent: SentFile) => void;
}) {
  const [columns, setColumns] = useState(NO_COLUMNS);
  const [texts, setTexts] = useState(NO_SHARES);
  const [file, setFile] = useState<File | null>(null);
  const [keeps, setKeeps] = useState(true);
  const [wrong, setWrong] = useState<string | null>(null);
  const send = () => {
    if (file === null) return;
    const shares = sharesOf(texts);
    if (typeof shares === 'string') {
      setWrong(shares);
      return;
    }
    setWrong(null);
    const named = Object.entries(columns).filter(([, column]) => column.trim() !== '');
    const query = Object.fromEntries(named.map(([name, column]) => [name, column.trim()]));
    onSend({ file, query, shares, isKept: canKeep && keeps });
  };
  return (
    <>
      <Form layout="vertical" className="people-form" onFinish={send}>
        <Form.Item label="People’s answers">
          <Upload
            accept=".csv,text/csv,.sav,.dta"
            aria-label="People’s answers"
            hasControlInside
            showUploadList={false}
            beforeUpload={(picked) => {
              setFile(picked);
              setWrong(null);
              onChoose();
              return false;
            }}
          >
            <Button>{file === null ? 'Choose a CSV, SPSS or Stata file' : file.name}</Button>
          </Upload>
        </Form.Item>
        <ColumnFields
          id="people"
          columns={columns}
          shares={texts}
          onColumns={setColumns}
          onShares={setTexts}
        />
        {canKeep && (
          <div className="people-wide">
            <Checkbox checked={keeps} onChange={(event) => setKeeps(event.target.checked)}>
              Keep for this survey
            </Checkbox>
            <p className="muted">
              {keeps
                ? 'Every run of the survey is then compared with it, and bundles count its answers. Only columns that count are kept: those that questions have or could have, those named here, and the person’s id; never e-mail addresses or other personal data. The rows are yours alone, go with the survey, and are in a bundle only if you tick that there.'
                : 'The file is read, compared and forgotten.'}{' '}
              <FigureHelp about="samples-that-are-kept">What is kept</FigureHelp>
            </p>
          </div>
        )}
        <div className="people-wide">
          <Button type="primary" htmlType="submit" disabled={file === null} loading={busy}>
            Compare
          </Button>
        </div>
      </Form>
      {(wrong ?? error) !== null && <Alert type="error" title={wrong ?? error} />}
    </>
  );
}
