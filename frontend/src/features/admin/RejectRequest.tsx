import { useState } from 'react';
import { Form, Input } from 'antd';
import { api, messageOf } from '@/api/client';
import type { AccessRequest } from '@/api/types';
import { Banner } from '@/ui/Banner';
import { Dialog } from '@/ui/antd/Dialog';
import { DialogButtons } from '@/ui/DialogButtons';

export default function RejectRequest({
  request,
  onClose,
  onDone,
}: {
  request: AccessRequest;
  onClose: () => void;
  onDone: () => void;
}) {
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);

  const reject = async ({ reason }: { reason: string }) => {
    setSaving(true);
    try {
      await api.post('/api/access-requests/{accessRequestId}/reject', {
        path: { accessRequestId: request.id },
        body: { reason },
      });
      onDone();
      onClose();
    } catch (failure) {
      setError(messageOf(failure, 'Failed to reject the request'));
      setSaving(false);
    }
  };
  return (
    <Dialog title="Reject Access Request" onClose={onClose} locked={saving}>
      <Form layout="vertical" onFinish={(fields: { reason: string }) => void reject(fields)}>
        {error !== null && <Banner type="error">{error}</Banner>}
        <Form.Item
          name="reason"
          label={`Reason, as ${request.email} will read it`}
          rules={[{ required: true, whitespace: true, message: 'A reason is required' }]}
        >
          <Input.TextArea rows={4} />
        </Form.Item>
        <DialogButtons onCancel={onClose} busy={saving} danger>
          Reject
        </DialogButtons>
      </Form>
    </Dialog>
  );
}
