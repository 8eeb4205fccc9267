import type { SelectHTMLAttributes } from 'react';
import './Field.css';

export interface SelectProps<Value> extends Omit<
  SelectHTMLAttributes<HTMLSelectElement>,
  'value' | 'onChange'
> {
  options: readonly { value: Value; label: string }[];
  value?: Value;
  onChange?: (value: Value) => void;
}

/** One of a few values, from the browser's own list: loads with nothing, and a phone shows it its own way. */
export function Select<Value extends string | number>({ options, onChange, ...select }: SelectProps<Value>) {
  return (
    <select
      {...select}
      className="input"
      onChange={({ target }) => {
        const chosen = options[target.selectedIndex];
        if (chosen !== undefined) onChange?.(chosen.value);
      }}
    >
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}
