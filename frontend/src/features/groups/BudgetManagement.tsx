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
  // Sent again after an answer that got lost, it is not booked twice.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const allChosen = members.length > 0 && chosen.length === members.length;
  const none = chosen.length === 0;

  const add = async ({ amount }: Fields) => {
    const added = Math.trunc(amount ?? 0);
    setAdding(true);
    try {
      await api.post('/api/transactions/bulk', {
        headers: { 'Idempotency-Key': key },
        body: {
          transactions: chosen.map(({ userId }) => ({
            groupId: group,
            userId,
            type: 'ADD' as const,
            amount: added,
          })),
        },
      });
      setKey(crypto.randomUUID());
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
      <div className="budget-selection line gap-3 between">
        <span>{chosen.length} selected</span>
        <Button
          size="small"
          disabled={members.length === 0}
          onClick={() => onSelect(allChosen ? [] : members.map(({ userId }) => userId))}
        >
          {allChosen ? 'Deselect All' : 'Select All'}
        </Button>
      </div>
      <Form<Fields>
        form={form}
        layout="vertical"
        onFinish={(fields) => void add(fields)}
        onValuesChange={() => setKey(crypto.randomUUID())}
      >
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
