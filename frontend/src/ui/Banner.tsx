import type { ReactNode } from 'react';
import './Banner.css';

/** A message that stays with what it is about; errors are read out at once. */
export function Banner({
  type,
  children,
}: {
  type: 'success' | 'error' | 'warning' | 'info';
  children: ReactNode;
}) {
  return (
    <div className={`banner banner-${type}`} role={type === 'error' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
