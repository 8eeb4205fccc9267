import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Link } from 'react-router';
import { CheckIcon, CrossIcon } from './icons';
import './Button.css';

interface Look {
  variant?: 'primary' | 'secondary' | 'outline' | 'ghost' | 'danger' | 'success';
  size?: 'xs' | 'sm' | 'md' | 'lg' | 'xl';
}

interface ButtonProps extends Look, ButtonHTMLAttributes<HTMLButtonElement> {
  loading?: boolean;
  /** Stands in for the children while loading. */
  loadingText?: string;
  icon?: ReactNode;
  /** How what it did went, for as long as that is worth showing. */
  outcome?: Outcome | null | undefined;
}

export type Outcome = 'success' | 'error';

const marks: Record<Outcome, ReactNode> = { success: <CheckIcon />, error: <CrossIcon /> };

const look = ({ variant = 'primary', size = 'md' }: Look) => `button button-${variant} button-${size}`;

export function Button({
  variant,
  size,
  loading = false,
  loadingText = 'Loading...',
  icon,
  outcome,
  children,
  disabled,
  className = '',
  type = 'button',
  ...rest
}: ButtonProps) {
  const ended = loading ? null : outcome;
  return (
    <button
      {...rest}
      type={type}
      className={`${look({ ...(variant && { variant }), ...(size && { size }) })} ${ended ? `button-ended-${ended}` : ''} ${className}`}
      disabled={disabled || loading}
      aria-busy={loading || undefined}
    >
      {loading ? <span className="button-spinner" aria-hidden="true" /> : ended ? marks[ended] : icon}
      {loading ? loadingText : children}
    </button>
  );
}

export function LinkButton({
  to,
  children,
  icon,
  ...rest
}: Look & { to: string; icon?: ReactNode; children: ReactNode }) {
  return (
    <Link to={to} className={look(rest)}>
      {icon}
      {children}
    </Link>
  );
}
