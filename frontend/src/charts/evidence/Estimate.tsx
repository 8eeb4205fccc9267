import type { ReactNode } from 'react';
import { fixed, formatInterval } from '@/ui/numbers';
import { intervalText, type Figure } from './figures';

/** A value with its interval below it, both as `show` writes them. */
export function Estimate({
  value,
  low,
  high,
  show,
  children,
}: {
  value: number;
  /** Null or missing where there is no interval. */
  low: number | null | undefined;
  high: number | null | undefined;
  show: (value: number) => string;
  children?: ReactNode;
}) {
  return (
    <div>
      {show(value)}
      {low != null && high != null && <div className="muted">{formatInterval({ low, high }, show)}</div>}
      {children}
    </div>
  );
}

/** A figure with its interval below it, or why it has none; `–` where there is no figure. */
export function Figured({ figure }: { figure: Figure | null | undefined }) {
  if (figure == null) return <>–</>;
  return (
    <div>
      {fixed(figure.value)}
      <div className="muted">{intervalText(figure)}</div>
    </div>
  );
}
