import { Checkbox } from 'antd';
import { Help } from '@/ui/Help';

/** Whether the run is asked in batches. */
export function BatchField({ value, onChange }: { value: boolean; onChange: (batch: boolean) => void }) {
  return (
    <div>
      <Checkbox checked={value} onChange={(event) => onChange(event.target.checked)}>
        Half price, within a day
      </Checkbox>
      <Help term="batch" />
    </div>
  );
}
