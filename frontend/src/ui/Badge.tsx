import type { ReactNode } from 'react';
import './Badge.css';

export type Tone = 'good' | 'bad' | 'warn' | 'brand' | 'plain';

export function Badge({
  tone = 'plain',
  pulsing,
  children,
}: {
  tone?: Tone;
  pulsing?: boolean;
  children: ReactNode;
}) {
  return <span className={`badge badge-${tone}${pulsing ? ' badge-pulsing' : ''}`}>{children}</span>;
}
