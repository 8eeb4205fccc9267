/** `2.50`, `−0.03`: with the minus sign of prose, and none before a zero. */
export function fixed(value: number, digits = 2): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) > 0 ? `−${text}` : text;
}

/** `.816`, `1.03`, `−.02`: the digits after the point, without a zero before it. A whole 1 has none. */
export function formatDecimal(value: number, digits = 2): string {
  if (value === 1) return '1';
  const text = Math.abs(value).toFixed(digits);
  const sign = value < 0 && Number(text) > 0 ? '−' : '';
  return `${sign}${text.replace(/^0\./, '.')}`;
}

/** A number as it stands at an axis: at most two decimals. */
export const formatShort = (value: number) => String(Math.round(value * 100) / 100);

/** `59 %`; a share that is not 0 or 1 never looks like it. */
export function percent(share: number, digits = 0): string {
  const text = (share * 100).toFixed(digits);
  if (share > 0 && Number(text) === 0) return `< ${(10 ** -digits).toFixed(digits)} %`;
  if (share < 1 && Number(text) === 100) return `> ${(100 - 10 ** -digits).toFixed(digits)} %`;
  return `${text} %`;
}

/** `59 %`, as a whole number however small the share is. */
export const wholePercent = (share: number) => `${Math.round(100 * share)} %`;

/** The limits of an interval; null or missing where there is none. */
export interface Limits {
  low?: number | null | undefined;
  high?: number | null | undefined;
}

/** `[0.70, 0.80]`, with the limits as `show` writes them; empty where there is no interval. */
export const formatInterval = (
  { low, high }: Limits,
  show: (value: number) => string = (value) => fixed(value),
) => (low == null || high == null ? '' : `[${show(low)}, ${show(high)}]`);

/** `0.75 [0.70, 0.80]`. */
export const withInterval = (
  figure: Limits & { value: number },
  show: (value: number) => string = (value) => fixed(value),
) => [show(figure.value), formatInterval(figure, show)].filter(Boolean).join(' ');

const sign = (value: number) => (value < 0 ? '−' : '+');

/** `+0.25`, `−1.07`: a difference. */
export const signed = (value: number) => `${sign(value)}${Math.abs(value).toFixed(2)}`;

/** `+2.5`, `−11.0`: a difference of shares, in percentage points. */
export const points = (share: number) => `${sign(share)}${Math.abs(share * 100).toFixed(1)}`;
