import { Form, InputNumber } from 'antd';

/** How much chance there is in the answers; null is the model's own. */
export function TemperatureField({
  value,
  onChange,
}: {
  value: number | null;
  onChange: (temperature: number | null) => void;
}) {
  return (
    <Form.Item label="Temperature" htmlFor="temperature" extra="0 to 2">
      <InputNumber
        id="temperature"
        min={0}
        max={2}
        step={0.1}
        placeholder="The model's own"
        value={value}
        onChange={onChange}
        style={{ width: '100%' }}
      />
    </Form.Item>
  );
}
