import { useId, useState } from 'react';
import { Alert, App, Button, Form, Select, Upload } from 'antd';
import { api, failed } from '@/api/client';
import { refresh, useAll } from '@/api/hooks';
import { Dialog } from '@/ui/Dialog';
import { takesSurveys } from './SurveyDialogs';

const FAILED = 'Failed to import survey';

/** A survey from a file that Export made. */
export function ImportSurvey({ onClose }: { onClose: () => void }) {
  const { message } = App.useApp();
  const form = useId();
  const groups = (useAll('/api/groups/my', {}).data ?? []).filter(takesSurveys);
  const [chosen, setChosen] = useState<number>();
  const [file, setFile] = useState<File | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // One group needs no choice.
  const groupId = chosen ?? (groups.length === 1 ? groups[0]?.id : undefined);

  const load = async () => {
    if (file === null || groupId === undefined) return;
    setBusy(true);
    setError(null);
    try {
      const body = JSON.parse(await file.text()) as never;
      const { title } = await api.post('/api/surveys/import', { params: { query: { groupId } }, body });
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
      busy={busy}
      onClose={onClose}
      action={{
        text: 'Import Survey',
        busyText: 'Importing...',
        disabled: file === null || groupId === undefined,
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
        <Form.Item label="File" extra="A JSON file, as Export in the menu of a survey makes it.">
          <Upload
            accept=".json,application/json"
            aria-label="Survey file"
            hasControlInside
            showUploadList={false}
            beforeUpload={(picked) => {
              setFile(picked);
              return false;
            }}
          >
            <Button>{file === null ? 'Choose a file' : file.name}</Button>
          </Upload>
        </Form.Item>
      </Form>
    </Dialog>
  );
}
