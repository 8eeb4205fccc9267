import type { ReactNode } from 'react';
import './Banner.css';

/** A message that stays with what it is about; errors are read out at once. */
export function Banner({
  type,
  id,
  children,
}: {
  type: 'success' | 'error' | 'warning' | 'info';
  /** For fields that it describes. */
  id?: string;
  children: ReactNode;
}) {
  return (
    <div id={id} className={`banner banner-${type}`} role={type === 'error' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
