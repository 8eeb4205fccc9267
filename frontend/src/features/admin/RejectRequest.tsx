import { useId, useState } from 'react';
import { Alert, Form, Input } from 'antd';
import { api, messageOf } from '@/api/client';
import type { AccessRequest } from '@/api/types';
import { Dialog } from '@/ui/Dialog';

export function RejectRequest({
  request,
  onClose,
  onDone,
}: {
  request: AccessRequest;
  onClose: () => void;
  onDone: () => void;
}) {
  const form = useId();
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);

  const reject = async ({ reason }: { reason: string }) => {
    setSaving(true);
    try {
      await api.post('/api/access-requests/{accessRequestId}/reject', {
        params: { path: { accessRequestId: request.id } },
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
    <Dialog
      title="Reject Access Request"
      onClose={onClose}
      busy={saving}
      action={{ text: 'Reject', danger: true, form }}
    >
      <Form id={form} layout="vertical" onFinish={(fields: { reason: string }) => void reject(fields)}>
        {error !== null && <Alert type="error" title={error} />}
        <Form.Item
          name="reason"
          label={`Reason, as ${request.email} will read it`}
          rules={[{ required: true, whitespace: true, message: 'A reason is required' }]}
        >
          <Input.TextArea rows={4} />
        </Form.Item>
      </Form>
    </Dialog>
  );
}
