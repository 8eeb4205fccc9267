import { useId, type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes } from 'react';
import { Select, type SelectProps } from './Select';
import './Field.css';

interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | null;
}

/** A labelled control of a page without antd; hint and error are tied to it for screen readers. */
function Labelled({
  label,
  hint,
  error,
  required,
  children,
}: FieldProps & {
  required: boolean;
  children: (tied: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode;
}) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {required && <span aria-hidden="true"> *</span>}
      </label>
      {children({
        id,
        ...(described && { 'aria-describedby': described }),
        ...(error && { 'aria-invalid': true }),
      })}
      {hint && (
        <p id={`${id}-hint`} className="field-hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  error = null,
  ...input
}: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <Labelled label={label} hint={hint} error={error} required={input.required === true}>
      {(tied) => <input {...input} {...tied} />}
    </Labelled>
  );
}

export function SelectField<Value extends string | number>({
  label,
  hint,
  error = null,
  ...select
}: FieldProps & SelectProps<Value>) {
  return (
    <Labelled label={label} hint={hint} error={error} required={select.required === true}>
      {(tied) => <Select {...select} {...tied} />}
    </Labelled>
  );
}

export function AreaField({
  label,
  hint,
  error = null,
  ...area
}: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Labelled label={label} hint={hint} error={error} required={area.required === true}>
      {(tied) => <textarea {...area} {...tied} />}
    </Labelled>
  );
}
