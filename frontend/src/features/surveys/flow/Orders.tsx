import { Select } from 'antd';
import type { Order } from '@/api/design';
import { useFlow } from './context';

/** The choice of the order in which parts are asked. */
export function Orders({
  what,
  value = 'fixed',
  onChange,
}: {
  /** `questions`, `arms` or `turns`. */
  what: string;
  value: Order | undefined;
  onChange: (order: Order) => void;
}) {
  const { readOnly } = useFlow();
  return (
    <Select<Order>
      size="small"
      className="flow-order"
      aria-label={`Order of the ${what}`}
      disabled={readOnly}
      value={value}
      onChange={onChange}
      options={[
        { value: 'fixed', label: 'In this order' },
        { value: 'random', label: 'In random order' },
        { value: 'latin', label: 'Balanced orders (Latin square)' },
      ]}
    />
  );
}
