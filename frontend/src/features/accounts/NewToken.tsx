import { useId, useState } from 'react';
import { Alert, Button, Flex, Form, Input, Select } from 'antd';
import { api, failed } from '@/api/client';
import type { Scope } from '@/api/types';
import { CopyField } from '@/ui/Copy';
import { Dialog } from '@/ui/Dialog';

interface Fields {
  name: string;
  scope: Scope;
  /** Days that it holds; 0: it does not expire. */
  days: number;
}

const scopes = [
  { value: 'read', label: 'Read: look at everything, change nothing' },
  { value: 'run', label: 'Run: also write surveys and run simulations' },
  { value: 'manage', label: 'Manage: everything that you may do' },
];
const terms = [
  { value: 30, label: '30 days' },
  { value: 90, label: '90 days' },
  { value: 365, label: 'One year' },
  { value: 0, label: 'Does not expire' },
];
const DAY_MS = 86_400_000;

/** Makes a token, and shows it this one time. */
export function NewToken({ onMade, onClose }: { onMade: () => void; onClose: () => void }) {
  const form = useId();
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [token, setToken] = useState<string | null>(null);

  const make = async ({ name, scope, days }: Fields) => {
    setSaving(true);
    setError(null);
    const expiresAt = days === 0 ? null : new Date(Date.now() + days * DAY_MS).toISOString();
    try {
      const made = await api.post('/api/auth/tokens', {
        body: { name: name.trim(), scopes: [scope], expiresAt },
      });
      setToken(made.token);
      onMade();
    } catch (failure) {
      setError(failed('Failed to create token', failure));
    } finally {
      setSaving(false);
    }
  };
  if (token !== null) {
    return (
      <Dialog title="Your New Token" onClose={onClose}>
        <ShownToken token={token} />
        <Flex justify="end" className="new-token-foot">
          <Button type="primary" onClick={onClose}>
            Done
          </Button>
        </Flex>
      </Dialog>
    );
  }
  return (
    <Dialog
      title="New Token"
      busy={saving}
      onClose={onClose}
      action={{ text: 'Create Token', busyText: 'Creating...', form }}
    >
      <Form<Fields>
        id={form}
        layout="vertical"
        initialValues={{ scope: 'run', days: 90 }}
        onFinish={(fields) => void make(fields)}
      >
        {error !== null && (
          <Form.Item>
            <Alert type="error" title={error} />
          </Form.Item>
        )}
        <Form.Item
          name="name"
          label="Token Name"
          extra="What it is for: it stands in the list."
          rules={[{ required: true, whitespace: true, message: 'Token name is required' }]}
        >
          <Input maxLength={100} autoComplete="off" />
        </Form.Item>
        <Form.Item name="scope" label="Scope">
          <Select options={scopes} />
        </Form.Item>
        <Form.Item name="days" label="Expires after">
          <Select options={terms} />
        </Form.Item>
      </Form>
    </Dialog>
  );
}

function ShownToken({ token }: { token: string }) {
  return (
    <div className="stack gap-4">
      <Alert
        type="warning"
        role="status"
        title="Copy the token now: it is not shown again. Keep it like a password."
      />
      <CopyField label="Token" text={token} />
    </div>
  );
}
