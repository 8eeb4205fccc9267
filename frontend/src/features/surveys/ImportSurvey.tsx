import { useId, useState } from 'react';
import { Alert, App, Button, Form, Select, Upload } from 'antd';
import { api, failed } from '@/api/client';
import type { QsfReport } from '@/api/design';
import { refresh, useAll } from '@/api/hooks';
import { Dialog } from '@/ui/Dialog';
import { ImportReport, type QsfFound } from './ImportQsf';
import { takesSurveys } from './SurveyDialogs';
import './ImportSurvey.css';

const FAILED = 'Failed to import survey';

/** A survey from a file that Export made, or from Qualtrics: then what becomes of it is told first. */
export function ImportSurvey({ onClose }: { onClose: () => void }) {
  const { message } = App.useApp();
  const form = useId();
  const groups = (useAll('/api/groups/my', {}).data ?? []).filter(takesSurveys);
  const [chosen, setChosen] = useState<number>();
  const [file, setFile] = useState<File | null>(null);
  const [found, setFound] = useState<QsfFound | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // One group needs no choice.
  const groupId = chosen ?? (groups.length === 1 ? groups[0]?.id : undefined);

  const isQsf = file !== null && /\.qsf$/i.test(file.name);
  const broken = found?.report !== undefined && entriesOf(found).some(({ severity }) => severity === 'error');

  /** The report first; the survey once it was read. `null`: nothing was made yet. */
  const importQsf = async (qsf: File, group: number): Promise<string | null> => {
    const body = new FormData();
    body.append('file', qsf);
    const check = found === null;
    const answer = await api.post('/api/surveys/import/qsf', {
      params: { query: { groupId: group, ...(check && { check }) } },
      // The schema has no type for a form of files.
      body: body as never,
    });
    if (!check && answer.survey != null) return answer.survey.title;
    setFound({ title: answer.title, report: answer.report as unknown as QsfReport });
    return null;
  };
  const load = async () => {
    if (file === null || groupId === undefined) return;
    setBusy(true);
    setError(null);
    try {
      const title = isQsf ? await importQsf(file, groupId) : await importFile(file, groupId);
      if (title === null) {
        setBusy(false);
        return;
      }
      void message.success(`New survey: "${title}"`);
      await refresh('/api/surveys');
      onClose();
    } catch (failure) {
      setError(failure instanceof SyntaxError ? `${FAILED}: the file is not JSON` : failed(FAILED, failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Import Survey"
      size={found === null ? 'md' : 'xl'}
      busy={busy}
      onClose={onClose}
      action={{
        text: isQsf && found === null ? 'Check the file' : 'Import Survey',
        busyText: isQsf && found === null ? 'Checking...' : 'Importing...',
        disabled: file === null || groupId === undefined || broken,
        form,
      }}
    >
      <Form id={form} layout="vertical" onFinish={() => void load()}>
        {error !== null && (
          <Form.Item>
            <Alert type="error" title={error} />
          </Form.Item>
        )}
        <Form.Item label="Group" htmlFor="import-group">
          <Select
            id="import-group"
            placeholder="Select a group..."
            value={groupId}
            onChange={setChosen}
            options={groups.map(({ id, groupName }) => ({ value: id, label: groupName }))}
          />
        </Form.Item>
        <Form.Item
          label="File"
          extra="A JSON file, as Export in the menu of a survey makes it, or a .qsf file, as Qualtrics exports surveys."
        >
          <Upload
            accept=".json,.qsf,application/json"
            aria-label="Survey file"
            hasControlInside
            showUploadList={false}
            beforeUpload={(picked) => {
              setFile(picked);
              setFound(null);
              setError(null);
              return false;
            }}
          >
            <Button>{file === null ? 'Choose a file' : file.name}</Button>
          </Upload>
        </Form.Item>
        {found !== null && <ImportReport found={found} />}
      </Form>
    </Dialog>
  );
}

async function importFile(file: File, groupId: number): Promise<string> {
  const body = JSON.parse(await file.text()) as never;
  return (await api.post('/api/surveys/import', { params: { query: { groupId } }, body })).title;
}

const entriesOf = ({ report: { changed, lost, dropped } }: QsfFound) => [...changed, ...lost, ...dropped];
