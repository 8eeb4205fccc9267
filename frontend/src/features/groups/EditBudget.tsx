import { useState } from 'react';
import { InputNumber } from 'antd';
import { api, messageOf } from '@/api/client';
import type { GroupMember } from '@/api/types';
import { Button } from '@/ui/Button';

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
      await api.patch('/api/groups/{groupId}/members/{userId}/budget', { path, body: { budget } });
      await onDone('Budget updated successfully!');
      onClose();
    } catch (error) {
      await onDone(messageOf(error, 'Failed to update budget'));
      setSaving(false);
    }
  };
  return (
    <div className="budget-edit">
      <InputNumber
        aria-label={`Budget of ${member.user.email}`}
        min={0}
        step={1}
        precision={0}
        autoFocus
        value={budget}
        onChange={(value) => setBudget(value ?? 0)}
        onPressEnter={() => void save()}
      />
      <Button size="sm" loading={saving} loadingText="Saving..." onClick={() => void save()}>
        Save
      </Button>
      <Button size="sm" variant="ghost" disabled={saving} onClick={onClose}>
        Cancel
      </Button>
    </div>
  );
}
