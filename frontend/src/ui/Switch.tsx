import { useId } from 'react';
import './Switch.css';

/** Something that is on or off, with what it means beside it. */
export function Switch({
  label,
  hint,
  checked,
  onChange,
}: {
  label: string;
  hint?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <>
      <div className="switch">
        <label htmlFor={id}>{label}</label>
        <input
          id={id}
          type="checkbox"
          role="switch"
          checked={checked}
          aria-describedby={hint && `${id}-hint`}
          onChange={({ target }) => onChange(target.checked)}
        />
      </div>
      {hint && (
        <p id={`${id}-hint`} className="switch-hint">
          {hint}
        </p>
      )}
    </>
  );
}
