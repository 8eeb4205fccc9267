import type { ReactNode } from 'react';

/** A table with its caption, which scrolls in a window of its own where it is wider than the page. */
export function ScrollTable({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    <div className="trust-scroll" role="region" aria-label={caption} tabIndex={0}>
      <table className="trust-table">
        <caption className="visually-hidden">{caption}</caption>
        {children}
      </table>
    </div>
  );
}
