import { Form, Input, InputNumber } from 'antd';

/** Name and default budget: what creating and editing a group have in common. */
export function GroupFields() {
  return (
    <>
      <Form.Item
        name="groupName"
        label="Group Name"
        rules={[{ required: true, whitespace: true, message: 'Group name is required' }]}
      >
        <Input maxLength={200} />
      </Form.Item>
      <Form.Item
        name="defaultBudget"
        label="Default Budget"
        extra="Credits that a new member starts with."
        rules={[{ required: true, message: 'Default budget is required' }]}
      >
        <InputNumber min={0} step={1} precision={0} style={{ width: '100%' }} />
      </Form.Item>
    </>
  );
}
