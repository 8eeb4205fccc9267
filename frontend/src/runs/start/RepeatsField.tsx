import { Form, InputNumber } from 'antd';

const MOST_REPEATS = 20;

/** How many times everything is asked. */
export function RepeatsField({ value, onChange }: { value: number; onChange: (repeats: number) => void }) {
  return (
    <Form.Item label="Repeats" htmlFor="study-repeats">
      <InputNumber
        id="study-repeats"
        min={1}
        max={MOST_REPEATS}
        precision={0}
        value={value}
        onChange={(repeats) => onChange(repeats ?? 1)}
        style={{ width: '100%' }}
      />
    </Form.Item>
  );
}
