import { useEffect, useRef, useState } from 'react';
import { Input } from 'antd';

/** How long a search waits for the next letter. */
const TYPING_MS = 300;

/** Hands on what was typed once it has stayed the same for a while: what is long to find or draw is not letter by letter. */
export function SearchField({
  label,
  placeholder = label,
  q,
  onChange,
}: {
  label: string;
  placeholder?: string;
  q: string;
  onChange: (q: string) => void;
}) {
  const [text, setText] = useState(q);
  const timer = useRef<number>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <Input
      type="search"
      allowClear
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onChange={({ target: { value } }) => {
        setText(value);
        clearTimeout(timer.current);
        timer.current = window.setTimeout(() => onChange(value), TYPING_MS);
      }}
    />
  );
}
