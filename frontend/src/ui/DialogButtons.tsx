import type { ReactNode } from 'react';
import { Button } from './Button';

/** The end of a dialog: out of it, or on with it. Neither works while `busy`, when `busyText` stands on the second. */
export function DialogButtons({
  onCancel,
  onSubmit,
  busy,
  busyText,
  disabled = false,
  danger = false,
  children,
}: {
  onCancel: () => void;
  /** Without it the button submits the form around. */
  onSubmit?: () => void;
  busy: boolean;
  busyText?: string;
  disabled?: boolean;
  /** For what cannot be undone. */
  danger?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="dialog-buttons">
      <Button variant="outline" disabled={busy} onClick={onCancel}>
        Cancel
      </Button>
      <Button
        type={onSubmit === undefined ? 'submit' : 'button'}
        variant={danger ? 'danger' : 'primary'}
        disabled={disabled}
        loading={busy}
        {...(busyText !== undefined && { loadingText: busyText })}
        onClick={onSubmit}
      >
        {children}
      </Button>
    </div>
  );
}
