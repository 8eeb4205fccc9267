import { useId, useState } from 'react';
import { Alert, App, Button, Checkbox, Form, Select, Upload } from 'antd';
import { api, failed } from '@/api/client';
import type { LossReport } from '@/api/design';
import { takesSurveys } from '@/api/groups';
import { refresh, useAll } from '@/api/hooks';
import { Dialog } from '@/ui/Dialog';
import { ImportReport, type ForeignSurvey } from './ImportReport';
import './ImportSurvey.css';

const FAILED = 'Failed to import survey';

/** Imports a survey from a file of Export, or from Qualtrics or SurveyJS, whose report is shown first. */
export function ImportSurvey({ onClose }: { onClose: () => void }) {
  const { message } = App.useApp();
  const form = useId();
  const groups = (useAll('/api/groups/my', {}).data ?? []).filter(takesSurveys);
  const [chosen, setChosen] = useState<number>();
  const [file, setFile] = useState<File | null>(null);
  /** Whether the file is one of another program. */
  const [isForeign, setForeign] = useState(false);
  const [found, setFound] = useState<ForeignSurvey | null>(null);
  /** Whether it is imported in spite of errors. */
  const [isDraft, setDraft] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // One group needs no choice.
  const groupId = chosen ?? (groups.length === 1 ? groups[0]?.id : undefined);

  const broken = found?.report !== undefined && entriesOf(found).some(({ severity }) => severity === 'error');

  /** The report first; the survey once it was read. `null`: nothing was made yet. */
  const importForeign = async (foreign: File, group: number): Promise<string | null> => {
    const body = new FormData();
    body.append('file', foreign);
    const check = found === null;
    const answer = await api.post('/api/surveys/import/qsf', {
      params: {
        query: { groupId: group, ...(check && { check }), ...(isDraft && !check && { draft: true }) },
      },
      // The schema has no type for a form of files.
      body: body as never,
    });
    if (!check && answer.survey != null) return answer.survey.title;
    setFound({ title: answer.title, report: answer.report as unknown as LossReport });
    return null;
  };
  const load = async () => {
    if (file === null || groupId === undefined) return;
    setBusy(true);
    setError(null);
    try {
      const title = isForeign ? await importForeign(file, groupId) : await importFile(file, groupId);
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
        text: isForeign && found === null ? 'Check the file' : 'Import Survey',
        busyText: isForeign && found === null ? 'Checking...' : 'Importing...',
        disabled: file === null || groupId === undefined || (broken && !isDraft),
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
          extra="A JSON file, as Export in the menu of a survey makes it, a .qsf file, as Qualtrics exports surveys, or the JSON of a SurveyJS survey."
        >
          <Upload
            accept=".json,.qsf,application/json"
            aria-label="Survey file"
            hasControlInside
            showUploadList={false}
            beforeUpload={(picked) => {
              setFound(null);
              setError(null);
              setDraft(false);
              void ofAnotherProgram(picked).then((foreign) => {
                setForeign(foreign);
                setFile(picked);
              });
              return false;
            }}
          >
            <Button>{file === null ? 'Choose a file' : file.name}</Button>
          </Upload>
        </Form.Item>
        {found !== null && <ImportReport found={found} />}
        {broken && (
          <Checkbox checked={isDraft} onChange={(event) => setDraft(event.target.checked)}>
            Import it as a draft, to be mended here before a run can start
          </Checkbox>
        )}
      </Form>
    </Dialog>
  );
}

/** Whether the file is not one of Export: SurveyJS' surveys are JSON too, with pages or elements. */
async function ofAnotherProgram(file: File): Promise<boolean> {
  if (/\.qsf$/i.test(file.name)) return true;
  try {
    const survey = JSON.parse(await file.text()) as { pages?: unknown; elements?: unknown } | null;
    return Array.isArray(survey?.pages) || Array.isArray(survey?.elements);
  } catch {
    return false;
  }
}

async function importFile(file: File, groupId: number): Promise<string> {
  const body = JSON.parse(await file.text()) as never;
  return (await api.post('/api/surveys/import', { params: { query: { groupId } }, body })).title;
}

const entriesOf = ({ report: { changed, lost, dropped } }: ForeignSurvey) => [
  ...changed,
  ...lost,
  ...dropped,
];
