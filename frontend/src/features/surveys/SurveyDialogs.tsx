import { useId, useState } from 'react';
import { Alert, App, Form, Input, Select } from 'antd';
import { api, failed, messageOf } from '@/api/client';
import { refresh, useAll } from '@/api/hooks';
import type { Group, Survey, Visibility } from '@/api/types';
import { Dialog } from '@/ui/Dialog';
import { invalid } from './QuestionFields';

/** It is open, and the user is its active member. */
export const takesSurveys = ({ status, available }: Group) => status === 'open' && available != null;

interface NewSurvey {
  title?: string;
  description?: string;
  groupId?: number;
  visibility: Visibility;
}

const PROBLEM = 'survey-problem';

export function CreateSurvey({ onClose }: { onClose: () => void }) {
  const { message } = App.useApp();
  const form = useId();
  const groups = useAll('/api/groups/my', {}).data?.filter(takesSurveys);
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const status = error === null ? {} : invalid(PROBLEM);

  const create = async ({ title = '', description = '', groupId, visibility }: NewSurvey) => {
    if (title.trim() === '' || groupId === undefined) {
      setError('Title and group are required');
      return;
    }
    setSaving(true);
    setError(null);
    try {
      const body = { title: title.trim(), description: description.trim(), groupId, visibility };
      await api.post('/api/surveys', { body });
      void message.success('Survey Created!');
      await refresh('/api/surveys');
      onClose();
    } catch (failure) {
      setError(messageOf(failure, 'Failed to create survey'));
    } finally {
      setSaving(false);
    }
  };
  return (
    <Dialog
      title="Create Survey"
      busy={saving}
      onClose={onClose}
      action={{ text: 'Create Survey', busyText: 'Creating...', form }}
    >
      <Form<NewSurvey>
        id={form}
        layout="vertical"
        initialValues={{ visibility: 'PRIVATE' }}
        onFinish={(fields) => void create(fields)}
      >
        {error !== null && (
          <Form.Item>
            <Alert type="error" id={PROBLEM} title={error} />
          </Form.Item>
        )}
        <Form.Item name="title" label="Title">
          <Input maxLength={500} {...status} />
        </Form.Item>
        <Form.Item name="description" label="Description">
          <Input.TextArea rows={3} />
        </Form.Item>
        <Form.Item
          name="groupId"
          label="Group"
          extra={
            groups?.length === 0 &&
            'Surveys belong to an open group with you as an active member: none of your groups is one.'
          }
        >
          <Select
            {...status}
            placeholder="Select a group..."
            options={(groups ?? []).map(({ id, groupName }) => ({ value: id, label: groupName }))}
          />
        </Form.Item>
        <Form.Item
          name="visibility"
          label="Visibility"
          extra="Private surveys are visible only to you and to the owner of your group."
        >
          <Select
            options={[
              { value: 'PRIVATE', label: 'Private (Default)' },
              { value: 'PUBLIC', label: 'Public' },
            ]}
          />
        </Form.Item>
      </Form>
    </Dialog>
  );
}

export function RenameSurvey({ survey, onClose }: { survey: Survey; onClose: () => void }) {
  const form = useId();
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);

  const save = async ({ title, description }: { title: string; description: string }) => {
    setSaving(true);
    setError(null);
    try {
      await api.patch('/api/surveys/{surveyId}', {
        params: { path: { surveyId: survey.id } },
        body: { title: title.trim(), description: description.trim() },
      });
      await refresh('/api/surveys');
      onClose();
    } catch (failure) {
      setError(failed('Failed to rename survey', failure));
      setSaving(false);
    }
  };
  return (
    <Dialog
      title="Rename Survey"
      busy={saving}
      onClose={onClose}
      action={{ text: 'Save Changes', busyText: 'Saving...', form }}
    >
      <Form
        id={form}
        layout="vertical"
        initialValues={{ title: survey.title, description: survey.description }}
        onFinish={(fields: { title: string; description: string }) => void save(fields)}
      >
        {error !== null && (
          <Form.Item>
            <Alert type="error" title={error} />
          </Form.Item>
        )}
        <Form.Item
          name="title"
          label="Title"
          rules={[{ required: true, whitespace: true, message: 'Title is required' }]}
        >
          <Input maxLength={500} />
        </Form.Item>
        <Form.Item name="description" label="Description">
          <Input.TextArea rows={3} />
        </Form.Item>
      </Form>
    </Dialog>
  );
}

export function DuplicateSurvey({ survey, onClose }: { survey: Survey; onClose: () => void }) {
  const { message } = App.useApp();
  const form = useId();
  const [title, setTitle] = useState(`${survey.title} (Copy)`);
  const [saving, setSaving] = useState(false);

  const duplicate = async () => {
    setSaving(true);
    try {
      const { duplicatedSurvey } = await api.post('/api/surveys/{surveyId}/duplicate', {
        params: { path: { surveyId: survey.id } },
        body: { title: title.trim() },
      });
      void message.success(`New survey: "${duplicatedSurvey.title}"`);
      await refresh('/api/surveys');
      onClose();
    } catch {
      void message.error('Failed to duplicate survey. Please try again.');
      setSaving(false);
    }
  };
  return (
    <Dialog
      title="Duplicate Survey"
      busy={saving}
      onClose={onClose}
      action={{
        text: 'Duplicate Survey',
        busyText: 'Duplicating...',
        disabled: title.trim() === '',
        form,
      }}
    >
      <Form id={form} layout="vertical" onFinish={() => void duplicate()}>
        <Form.Item label="Title" htmlFor="copy-title" extra={`Original: ${survey.title}`}>
          <Input
            id="copy-title"
            maxLength={500}
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        </Form.Item>
      </Form>
    </Dialog>
  );
}
