import { useState } from 'react';
import { App, Button, Flex, Select } from 'antd';
import { api, failed } from '@/api/client';
import { refresh } from '@/api/hooks';
import type { components } from '@/api/schema';
import { ConfirmDialog } from '@/ui/Dialog';
import { count, date } from '@/ui/format';

export type HumanSample = components['schemas']['HumanSample'];

/** Which of the survey's samples of people is compared. Its owner can delete it. */
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
  const [asked, setAsked] = useState(false);
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
        <Button danger onClick={() => setAsked(true)}>
          Delete…
        </Button>
      )}
      {asked && sample !== undefined && (
        <ConfirmDialog
          title={`Delete “${sample.name}”?`}
          action="Delete"
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          The answers of {count(sample.people)} people are erased, for all runs of the survey. Bundles that
          were downloaded keep their counts.
        </ConfirmDialog>
      )}
    </Flex>
  );
}
