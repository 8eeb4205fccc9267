import { useState } from 'react';
import { Form, Input, Select } from 'antd';
import { api, messageOf } from '@/api/client';
import { refresh, useAll } from '@/api/hooks';
import type { Visibility } from '@/api/types';
import { Banner } from '@/ui/Banner';
import { Dialog } from '@/ui/antd/Dialog';
import { DialogButtons } from '@/ui/DialogButtons';
import { invalid } from '@/ui/invalid';
import { toast } from '@/ui/toasts';

interface Fields {
  title?: string;
  description?: string;
  groupId?: number;
  visibility: Visibility;
}

const PROBLEM = 'survey-problem';

export default function CreateSurvey({ onClose }: { onClose: () => void }) {
  const { data: groups = [] } = useAll('/api/groups/my', {});
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);

  const create = async ({ title = '', description = '', groupId, visibility }: Fields) => {
    if (title.trim() === '' || groupId === undefined) {
      setError('Title and group are required');
      return;
    }
    setSaving(true);
    setError(null);
    try {
      const body = { title: title.trim(), description: description.trim(), groupId, visibility };
      await api.post('/api/surveys', { body });
      toast('success', 'Survey Created!');
      await refresh('/api/surveys');
      onClose();
    } catch (failure) {
      setError(messageOf(failure, 'Failed to create survey'));
    } finally {
      setSaving(false);
    }
  };
  return (
    <Dialog title="Create Survey" onClose={onClose} locked={saving}>
      <Form<Fields>
        layout="vertical"
        initialValues={{ visibility: 'PRIVATE' }}
        onFinish={(fields) => void create(fields)}
      >
        {error !== null && (
          <Banner type="error" id={PROBLEM}>
            {error}
          </Banner>
        )}
        <Form.Item name="title" label="Title">
          <Input maxLength={500} {...(error !== null && invalid(PROBLEM))} />
        </Form.Item>
        <Form.Item name="description" label="Description">
          <Input.TextArea rows={3} />
        </Form.Item>
        <Form.Item name="groupId" label="Group">
          <Select
            {...(error !== null && invalid(PROBLEM))}
            placeholder="Select a group..."
            options={groups.map(({ id, groupName }) => ({ value: id, label: groupName }))}
          />
        </Form.Item>
        <Form.Item name="visibility" label="Visibility" extra="Private surveys are visible only to you.">
          <Select
            options={[
              { value: 'PRIVATE', label: 'Private (Default)' },
              { value: 'PUBLIC', label: 'Public' },
            ]}
          />
        </Form.Item>
        <DialogButtons onCancel={onClose} busy={saving} busyText="Creating...">
          Create Survey
        </DialogButtons>
      </Form>
    </Dialog>
  );
}
