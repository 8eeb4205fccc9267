import { useState } from 'react';
import { Button, InputNumber } from 'antd';
import { api, failed } from '@/api/client';
import type { GroupMember } from '@/api/types';

/** A member's budget, edited in its row. */
export function EditBudget({
  group,
  member,
  onClose,
  onDone,
}: {
  group: number;
  member: GroupMember;
  onClose: () => void;
  onDone: (message: string) => Promise<void>;
}) {
  const [budget, setBudget] = useState(Math.round(Number(member.budget)));
  const [saving, setSaving] = useState(false);

  const save = async () => {
    setSaving(true);
    const path = { groupId: group, userId: member.userId };
    try {
      await api.patch('/api/groups/{groupId}/members/{userId}/budget', {
        params: { path },
        body: { budget },
      });
      await onDone('Budget updated successfully!');
      onClose();
    } catch (error) {
      await onDone(failed('Failed to update budget', error));
      setSaving(false);
    }
  };
  return (
    <div className="row gap-2">
      <InputNumber
        aria-label={`Budget of ${member.user.email}`}
        min={0}
        step={1}
        precision={0}
        size="small"
        autoFocus
        value={budget}
        onChange={(value) => setBudget(value ?? 0)}
        onPressEnter={() => void save()}
        onKeyDown={({ key }) => key === 'Escape' && !saving && onClose()}
      />
      <Button type="primary" size="small" loading={saving} disabled={saving} onClick={() => void save()}>
        {saving ? 'Saving...' : 'Save'}
      </Button>
      <Button type="text" size="small" disabled={saving} onClick={onClose}>
        Cancel
      </Button>
    </div>
  );
}
