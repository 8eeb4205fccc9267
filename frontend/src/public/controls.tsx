import { useId, type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes } from 'react';
import { Link } from 'react-router';

// Controls of the public pages and of sign-in: plain HTML, so that visitors need not load antd. `ui/plain.css` has
// their look.

/** Submits the form around. It cannot be pressed while `busy`, and shows `busyText` then. */
export function SubmitButton({
  busy,
  busyText,
  disabled = false,
  children,
}: {
  busy: boolean;
  busyText: string;
  disabled?: boolean;
  children: ReactNode;
}) {
  return (
    <button
      type="submit"
      className="button button-primary button-lg"
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    >
      {busy && <span className="button-spinner" aria-hidden="true" />}
      {busy ? busyText : children}
    </button>
  );
}

/** A link that looks like a button. */
export function LinkButton({
  to,
  variant = 'primary',
  size = 'md',
  children,
}: {
  to: string;
  variant?: 'primary' | 'outline';
  size?: 'sm' | 'md' | 'lg';
  children: ReactNode;
}) {
  return (
    <Link to={to} className={`button button-${variant} button-${size}`}>
      {children}
    </Link>
  );
}

/** A message beside what it is about; errors are read out at once. */
export function Notice({ type, children }: { type: 'success' | 'warning' | 'error'; children: ReactNode }) {
  return (
    <div className={`notice notice-${type}`} role={type === 'error' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

interface FieldProps {
  label: string;
  hint?: string;
  error?: string | null;
}

export function TextField({
  label,
  error = null,
  ...input
}: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <Field label={label} error={error} required={input.required === true}>
      {(attributes) => <input {...input} {...attributes} />}
    </Field>
  );
}

export function AreaField({
  label,
  hint,
  ...area
}: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Field label={label} {...(hint !== undefined && { hint })}>
      {(attributes) => <textarea {...area} {...attributes} />}
    </Field>
  );
}

export function SelectField({
  label,
  options,
  value,
  disabled,
  onChange,
}: FieldProps & {
  options: readonly { value: string; label: string }[];
  value: string;
  disabled: boolean;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A labelled control; hint and error are tied to it for screen readers. */
function Field({
  label,
  hint,
  error = null,
  required = false,
  children,
}: FieldProps & {
  required?: boolean;
  children: (attributes: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode;
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

/** Something, an at sign, and a domain with a dot in it. The server and the mail decide the rest. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text.trim());
}
