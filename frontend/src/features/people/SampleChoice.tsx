import { useState } from 'react';
import { App, Button, Flex, Form, Input, Select } from 'antd';
import { api, failed } from '@/api/client';
import { refresh } from '@/api/hooks';
import type { components } from '@/api/schema';
import { ConfirmDialog, Dialog } from '@/ui/Dialog';
import { count, date } from '@/ui/format';

export type HumanSample = components['schemas']['HumanSample'];

/** Chooses the sample of people to compare. Its owner can rename and delete it. */
export function SampleChoice({
  samples,
  value,
  onChange,
}: {
  samples: readonly HumanSample[];
  /** Null: another file is compared. */
  value: string | null;
  onChange: (sampleId: string) => void;
}) {
  const { message } = App.useApp();
  const [asked, setAsked] = useState<'rename' | 'delete' | null>(null);
  const close = () => setAsked(null);
  const sample = samples.find(({ sampleId }) => sampleId === value);
  const remove = async () => {
    if (sample === undefined) return;
    const { sampleId } = sample;
    try {
      await api.delete('/api/human-samples/{sampleId}', { params: { path: { sampleId } } });
      await refresh('/api/surveys/{surveyId}/human-samples');
      void message.success('The sample was deleted');
    } catch (failure) {
      void message.error(failed('Failed to delete the sample', failure));
    }
  };
  return (
    <Flex gap="small" wrap align="end">
      <div className="people-sample">
        <label htmlFor="people-sample">People of this survey</label>
        <Select
          id="people-sample"
          className="people-sample-select"
          placeholder="a file that is not kept"
          {...(value !== null && { value })}
          options={samples.map(({ sampleId, name, people, createdAt }) => ({
            value: sampleId,
            label: `${name}: ${count(people)} people, ${date(createdAt)}`,
          }))}
          onChange={onChange}
        />
      </div>
      {sample?.isOwner === true && (
        <>
          <Button onClick={() => setAsked('rename')}>Rename…</Button>
          <Button danger onClick={() => setAsked('delete')}>
            Delete…
          </Button>
        </>
      )}
      {asked === 'rename' && sample !== undefined && <RenameSample sample={sample} onClose={close} />}
      {asked === 'delete' && sample !== undefined && (
        <ConfirmDialog title={`Delete “${sample.name}”?`} action="Delete" onConfirm={remove} onClose={close}>
          The answers of {count(sample.people)} people are erased, for all runs of the survey. Bundles that
          were downloaded keep their counts.
        </ConfirmDialog>
      )}
    </Flex>
  );
}

const MAX_NAME = 120;

function RenameSample({ sample: { sampleId, name }, onClose }: { sample: HumanSample; onClose: () => void }) {
  const { message } = App.useApp();
  const [form] = Form.useForm<{ name: string }>();
  const [busy, setBusy] = useState(false);
  const rename = async (fields: { name: string }) => {
    setBusy(true);
    try {
      const body = { name: fields.name.trim() };
      await api.patch('/api/human-samples/{sampleId}', { params: { path: { sampleId } }, body });
      await Promise.all([refresh('/api/human-samples'), refresh('/api/surveys/{surveyId}/human-samples')]);
      onClose();
    } catch (failure) {
      void message.error(failed('Failed to rename the sample', failure));
    }
    setBusy(false);
  };
  return (
    <Dialog
      title="Rename the sample"
      size="sm"
      busy={busy}
      onClose={onClose}
      action={{ text: 'Rename', form: 'sample-name' }}
    >
      <Form
        id="sample-name"
        form={form}
        layout="vertical"
        initialValues={{ name }}
        onFinish={(fields) => void rename(fields)}
      >
        <Form.Item
          name="name"
          label="Name"
          rules={[{ required: true, whitespace: true, message: 'Give it a name' }]}
        >
          <Input maxLength={MAX_NAME} />
        </Form.Item>
      </Form>
    </Dialog>
  );
}
