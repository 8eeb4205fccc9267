/** `.816`, `1.03`, `−.02`: the digits after the point, without a zero before it. A whole 1 has none. */
export function formatDecimal(value: number, digits = 2): string {
  if (value === 1) return '1';
  const text = Math.abs(value).toFixed(digits);
  const sign = value < 0 && Number(text) > 0 ? '−' : '';
  return `${sign}${text.replace(/^0\./, '.')}`;
}
