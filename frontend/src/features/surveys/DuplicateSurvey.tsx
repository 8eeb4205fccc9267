import { useState } from 'react';
import { Form, Input } from 'antd';
import { api } from '@/api/client';
import { refresh } from '@/api/hooks';
import type { Survey } from '@/api/types';
import { Dialog } from '@/ui/antd/Dialog';
import { DialogButtons } from '@/ui/DialogButtons';
import { toast } from '@/ui/toasts';

export default function DuplicateSurvey({ survey, onClose }: { survey: Survey; onClose: () => void }) {
  const [form] = Form.useForm<{ title: string }>();
  const suggested = `${survey.title} (Copy)`;
  const title = Form.useWatch('title', form) ?? suggested;
  const [saving, setSaving] = useState(false);

  const duplicate = async (fields: { title: string }) => {
    setSaving(true);
    try {
      const answer = await api.post('/api/surveys/{surveyId}/duplicate', {
        path: { surveyId: survey.id },
        body: { title: fields.title.trim() },
      });
      toast('success', `New survey: "${answer.duplicatedSurvey.title}"`);
      await refresh('/api/surveys');
      onClose();
    } catch {
      toast('error', 'Failed to duplicate survey. Please try again.');
      setSaving(false);
    }
  };
  return (
    <Dialog title="Duplicate Survey" onClose={onClose} locked={saving}>
      <Form
        form={form}
        layout="vertical"
        initialValues={{ title: suggested }}
        onFinish={(fields) => void duplicate(fields)}
      >
        <Form.Item name="title" label="Title" extra={`Original: ${survey.title}`}>
          <Input maxLength={500} />
        </Form.Item>
        <DialogButtons
          onCancel={onClose}
          busy={saving}
          busyText="Duplicating..."
          disabled={title.trim() === ''}
        >
          Duplicate Survey
        </DialogButtons>
      </Form>
    </Dialog>
  );
}
