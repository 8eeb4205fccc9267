import { useState } from 'react';
import { Form } from 'antd';
import { api, messageOf } from '@/api/client';
import { refresh } from '@/api/hooks';
import type { Group } from '@/api/types';
import { Banner } from '@/ui/Banner';
import { Dialog } from '@/ui/antd/Dialog';
import { DialogButtons } from '@/ui/DialogButtons';
import { GroupFields } from './GroupFields';

interface Fields {
  groupName: string;
  defaultBudget: number;
}

export default function EditGroup({ group, onClose }: { group: Group; onClose: () => void }) {
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);

  const save = async ({ groupName, defaultBudget }: Fields) => {
    setSaving(true);
    setError(null);
    try {
      await api.patch('/api/groups/{groupId}', {
        path: { groupId: group.id },
        body: { group_name: groupName.trim(), default_budget_per_user: defaultBudget },
      });
      await refresh('/api/groups');
      onClose();
    } catch (failure) {
      setError(messageOf(failure, 'Failed to update group'));
      setSaving(false);
    }
  };
  return (
    <Dialog title="Edit Group" onClose={onClose} locked={saving}>
      <Form<Fields>
        layout="vertical"
        initialValues={{ groupName: group.groupName, defaultBudget: group.initialBudgetPerUser }}
        onFinish={(fields) => void save(fields)}
      >
        {error !== null && <Banner type="error">{error}</Banner>}
        <GroupFields />
        <DialogButtons onCancel={onClose} busy={saving} busyText="Saving...">
          Save Changes
        </DialogButtons>
      </Form>
    </Dialog>
  );
}
