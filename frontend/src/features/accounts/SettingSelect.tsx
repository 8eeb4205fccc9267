import { useId } from 'react';
import { Select } from '@/ui/Select';

/** A setting with a few values, under its name. */
export function SettingSelect<Value extends string | number>({
  label,
  ...select
}: {
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <Select id={id} {...select} />
    </div>
  );
}
