import type { ReactNode } from 'react';

/** A figure of a run: what it is, how much, and what that means. */
export function Figure({ name, value, children }: { name: string; value: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        <small className="muted">{children}</small>
      </dd>
    </div>
  );
}
