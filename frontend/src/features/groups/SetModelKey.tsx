import { useId, useState } from 'react';
import { Alert, Form, Input } from 'antd';
import { api, failed } from '@/api/client';
import type { ModelKey } from '@/api/types';
import { Dialog } from '@/ui/Dialog';

/** Takes a key for a model server. It is sent once and kept nowhere on this page. */
export function SetModelKey({
  group,
  line: { server, lastFour },
  onSet,
  onClose,
}: {
  group: number;
  line: ModelKey;
  onSet: () => void;
  onClose: () => void;
}) {
  const form = useId();
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);

  const save = async ({ key }: { key: string }) => {
    setSaving(true);
    setError(null);
    try {
      await api.put('/api/groups/{groupId}/model-keys/{server}', {
        params: { path: { groupId: group, server } },
        body: { key: key.trim() },
      });
      onSet();
      onClose();
    } catch (failure) {
      setError(failed('Failed to set the key', failure));
      setSaving(false);
    }
  };
  return (
    <Dialog
      title={`${lastFour == null ? 'Set' : 'Replace'} the Key for ${server}`}
      onClose={onClose}
      busy={saving}
      action={{ text: 'Save', busyText: 'Saving...', form }}
    >
      <Form<{ key: string }> id={form} layout="vertical" onFinish={(fields) => void save(fields)}>
        <Form.Item
          name="key"
          label="Key"
          extra="Nobody can read it here afterwards; its last characters are shown."
          rules={[{ required: true, whitespace: true, message: 'The key is required' }]}
        >
          <Input.Password autoComplete="off" spellCheck={false} disabled={saving} />
        </Form.Item>
      </Form>
      {error !== null && <Alert type="error" title={error} />}
    </Dialog>
  );
}
