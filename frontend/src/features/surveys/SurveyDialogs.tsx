import { useId, useState } from 'react';
import { Alert, App, Form, Input } from 'antd';
import { api, failed } from '@/api/client';
import { refresh } from '@/api/hooks';
import type { Survey } from '@/api/types';
import { Dialog } from '@/ui/Dialog';

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

export function DuplicateSurvey({
  survey,
  onClose,
  onDone,
}: {
  survey: Survey;
  onClose: () => void;
  /** Called with the id of the copy. */
  onDone?: (copy: number) => void;
}) {
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
      onDone?.(duplicatedSurvey.id);
    } catch (failure) {
      void message.error(failed('Failed to duplicate survey. Please try again.', failure));
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
