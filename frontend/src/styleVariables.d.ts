import 'react';

declare module 'react' {
  /** The variables that elements set for the style sheets. */
  interface CSSProperties {
    '--at'?: string;
    '--chart-padding'?: string;
    '--shape'?: number;
  }
}
