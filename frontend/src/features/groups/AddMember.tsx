import { useState } from 'react';
import { Button, Flex, Form, Input, InputNumber } from 'antd';
import { api, ApiError, messageOf } from '@/api/client';
import { count } from '@/ui/format';
import { readClassList } from './classList';

interface Fields {
  email: string;
}

export function AddMember({
  group,
  initialBudget,
  onDone,
  onRefused,
  onList,
}: {
  group: number;
  /** The group's default for new members, once known. */
  initialBudget: number | undefined;
  onDone: (message: string) => Promise<void>;
  /** The form does not take what was typed. */
  onRefused: () => void;
  /** Opens the dialog of a class list with that in it. */
  onList: (text: string) => void;
}) {
  const [form] = Form.useForm<Fields>();
  const [adding, setAdding] = useState(false);
  /** `undefined` until it is touched: until then the field has the group's default. */
  const [typed, setTyped] = useState<number | null>();
  const budget = typed === undefined ? (initialBudget ?? null) : typed;

  const add = async ({ email }: Fields) => {
    setAdding(true);
    try {
      await api.post('/api/groups/{groupId}/members', {
        params: { path: { groupId: group } },
        // Without a budget the server gives the group's default.
        body: { email: email.trim(), ...(budget !== null && { budget: Math.trunc(budget) }) },
      });
      form.resetFields();
      setTyped(undefined);
      await onDone('User added successfully!');
    } catch (error) {
      const refused = error instanceof ApiError && error.status !== 0;
      const ofClient = error instanceof Error && !refused ? error.message : 'Internal server error';
      await onDone(messageOf(error, ofClient));
    } finally {
      setAdding(false);
    }
  };
  return (
    <section aria-labelledby="add-member">
      <h3 id="add-member">Add New Member</h3>
      <Form<Fields>
        form={form}
        layout="vertical"
        onFinish={(fields) => void add(fields)}
        onFinishFailed={onRefused}
      >
        <Form.Item
          name="email"
          label="E-mail"
          rules={[
            { required: true, message: 'E-mail is required' },
            { type: 'email', message: 'Please enter a valid email address' },
          ]}
        >
          <Input
            type="email"
            autoComplete="off"
            disabled={adding}
            onPaste={(event) => {
              const text = event.clipboardData.getData('text');
              if (readClassList(text, []).length < 2) return;
              event.preventDefault();
              onList(text);
            }}
          />
        </Form.Item>
        <Form.Item
          label="Default Budget"
          htmlFor="new-member-budget"
          extra={
            initialBudget === undefined
              ? undefined
              : `The group's default is ${count(initialBudget)} credits.`
          }
        >
          <InputNumber
            id="new-member-budget"
            value={budget}
            onChange={setTyped}
            min={0}
            step={1}
            precision={0}
            disabled={adding}
            placeholder={initialBudget === undefined ? '0' : String(initialBudget)}
            style={{ width: '100%' }}
          />
        </Form.Item>
        <Flex wrap gap="small">
          <Button type="primary" htmlType="submit" loading={adding} disabled={adding}>
            {adding ? 'Adding...' : 'Add Member'}
          </Button>
          <Button disabled={adding} onClick={() => onList('')}>
            Paste or Upload a Class List
          </Button>
        </Flex>
      </Form>
    </section>
  );
}
