import type { ButtonHTMLAttributes } from 'react';
import './IconButton.css';

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** What it does, for those who do not see the icon; shown on hovering too, unless `title` says more. */
  label: string;
  danger?: boolean;
}

/** A round button with an icon for its word. */
export function IconButton({ label, danger = false, className = '', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={`icon-button ${danger ? 'icon-button-danger' : ''} ${className}`}
    />
  );
}
