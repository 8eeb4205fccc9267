import { useState } from 'react';
import { Button, Form, InputNumber } from 'antd';
import { api, failed } from '@/api/client';
import type { GroupMember } from '@/api/types';

interface Fields {
  amount: number | null;
}

/** Adds the same amount to every selected member's budget. */
export function BudgetManagement({
  group,
  members,
  chosen,
  onSelect,
  onDone,
}: {
  group: number;
  members: GroupMember[];
  chosen: GroupMember[];
  onSelect: (userIds: number[]) => void;
  onDone: (message: string) => Promise<void>;
}) {
  const [form] = Form.useForm<Fields>();
  const [adding, setAdding] = useState(false);
  const allChosen = members.length > 0 && chosen.length === members.length;
  const none = chosen.length === 0;

  const add = async ({ amount }: Fields) => {
    const added = Math.trunc(amount ?? 0);
    setAdding(true);
    try {
      await api.patch('/api/groups/{groupId}/members/budgets', {
        params: { path: { groupId: group } },
        // Budgets move while runs spend: the server refuses the sum of a budget that has moved since it was read.
        body: chosen.map(({ userId, budget }) => ({
          userId,
          budget: budget + added,
          expectedBudget: budget,
        })),
      });
      form.resetFields();
      await onDone(`${chosen.length} member(s) budget increased by ${added} successfully!`);
      onSelect([]);
    } catch (error) {
      await onDone(failed('Failed to update budgets', error));
    } finally {
      setAdding(false);
    }
  };
  return (
    <section aria-labelledby="budget-management">
      <h3 id="budget-management">Budget Management</h3>
      <div className="budget-selection">
        <span>{chosen.length} selected</span>
        <Button
          size="small"
          disabled={members.length === 0}
          onClick={() => onSelect(allChosen ? [] : members.map(({ userId }) => userId))}
        >
          {allChosen ? 'Deselect All' : 'Select All'}
        </Button>
      </div>
      <Form<Fields> form={form} layout="vertical" onFinish={(fields) => void add(fields)}>
        <Form.Item
          name="amount"
          label="Amount to Add"
          extra={none ? 'Please select at least one member' : undefined}
          rules={[{ required: true, message: 'Amount is required' }]}
        >
          <InputNumber min={0} step={1} precision={0} disabled={none} style={{ width: '100%' }} />
        </Form.Item>
        <Button type="primary" htmlType="submit" loading={adding} disabled={none || adding}>
          {adding ? 'Adding...' : 'Add Funds'}
        </Button>
      </Form>
    </section>
  );
}
