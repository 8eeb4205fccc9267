import 'react';

declare module 'react' {
  /** The variables that elements set for the style sheets. */
  interface CSSProperties {
    '--at'?: string;
    '--from'?: string;
    '--lead'?: string;
    '--row'?: number;
    '--rows'?: number;
    '--chart-padding'?: string;
    '--shape'?: number;
  }
}
