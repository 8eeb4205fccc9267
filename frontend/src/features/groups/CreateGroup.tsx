import { useState } from 'react';
import { Form, Input } from 'antd';
import { api, messageOf } from '@/api/client';
import { refresh } from '@/api/hooks';
import { useSession } from '@/api/session';
import { Banner } from '@/ui/Banner';
import { Dialog } from '@/ui/antd/Dialog';
import { DialogButtons } from '@/ui/DialogButtons';
import { GroupFields } from './GroupFields';

interface Fields {
  groupName: string;
  defaultBudget: number;
  ownerEmail: string;
}

/** Super admins name any owner; an admin owns what they create. New groups are open. */
export default function CreateGroup({ onClose }: { onClose: () => void }) {
  const user = useSession();
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const ownsIt = user?.role !== 'super_admin';

  const create = async ({ groupName, defaultBudget, ownerEmail }: Fields) => {
    setSaving(true);
    setError(null);
    try {
      await api.post('/api/groups', {
        body: {
          group_name: groupName.trim(),
          default_budget_per_user: defaultBudget,
          owner_email: ownerEmail.trim(),
          status: 'open',
        },
      });
      await refresh('/api/groups');
      onClose();
    } catch (failure) {
      setError(messageOf(failure, 'Failed to create group'));
    } finally {
      setSaving(false);
    }
  };
  return (
    <Dialog title="Create New Group" onClose={onClose} locked={saving}>
      <Form<Fields>
        layout="vertical"
        initialValues={{ defaultBudget: 0, ownerEmail: ownsIt ? user?.email : '' }}
        onFinish={(fields) => void create(fields)}
      >
        {error !== null && <Banner type="error">{error}</Banner>}
        <GroupFields />
        <Form.Item
          name="ownerEmail"
          label="Owner Email"
          hidden={ownsIt}
          rules={[
            { required: true, message: 'Owner email is required' },
            { type: 'email', message: 'Please enter a valid email address' },
          ]}
        >
          <Input type="email" />
        </Form.Item>
        <DialogButtons onCancel={onClose} busy={saving} busyText="Creating...">
          Create Group
        </DialogButtons>
      </Form>
    </Dialog>
  );
}
