const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const shortDate = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', day: 'numeric' });
const longDate = new Intl.DateTimeFormat('en-US', { dateStyle: 'long' });
const hoursAndMinutes = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const withSeconds = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** Rounded, with thousands separators. */
export function count(value: number | string): string {
  return whole.format(Math.round(Number(value)));
}

/** Whole dollars, a minus sign before the dollar sign of negatives. */
export function dollars(value: number | string): string {
  const rounded = Math.round(Number(value));
  return `${rounded < 0 ? '-' : ''}$${whole.format(Math.abs(rounded))}`;
}

/** `$1.37`; a currency that is none of ISO 4217 stands before the figure; below a cent with the digits that tell something. */
export function money(amount: number, currency: string): string {
  const digits = amount !== 0 && Math.abs(amount) < 0.01 ? 6 : 2;
  const options = { minimumFractionDigits: 2, maximumFractionDigits: digits };
  try {
    return new Intl.NumberFormat('en-US', { style: 'currency', currency, ...options }).format(amount);
  } catch {
    return `${currency} ${new Intl.NumberFormat('en-US', options).format(amount)}`;
  }
}

/** Amounts of several currencies, `$1.37 and €2.00`; `null` where there is none. */
export function moneyWords(amounts: readonly { amount: string; currency: string }[] = []): string | null {
  const words = amounts.map(({ amount, currency }) => money(Number(amount), currency));
  return words.length === 0 ? null : words.join(' and ');
}

/** Words with a capital letter and a full stop. */
export const sentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** `Mar 3, 2026`, in local time. */
export const date = (at: string | Date) => shortDate.format(new Date(at));

/** `March 3, 2026`, in local time. */
export const dateInFull = (at: string | Date) => longDate.format(new Date(at));

/** `14:03`, in local time. */
export const timeOfDay = (at: string | Date) => hoursAndMinutes.format(new Date(at));

/** `14:03:05`, in local time: for waits of seconds. */
export const timeWithSeconds = (at: string | Date) => withSeconds.format(new Date(at));

/** `Mar 3, 2026, 14:03`, in local time. */
export const dateAndTime = (at: string | Date) => `${date(at)}, ${timeOfDay(at)}`;

/** `Just now`, `5 min ago`, `3 hours ago`, `2 days ago`, then a short date. */
export function relativeDate(iso: string, now = Date.now()): string {
  const seconds = Math.floor((now - new Date(iso).getTime()) / 1000);
  if (seconds < 60) return 'Just now';
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} hours ago`;
  const days = Math.floor(hours / 24);
  return days < 7 ? `${days} days ago` : date(iso);
}

/** `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  const rounded = Math.max(0, Math.round(seconds));
  if (rounded < 60) return `${rounded} s`;
  const minutes = Math.floor(rounded / 60);
  if (minutes < 60) return rounded % 60 === 0 ? `${minutes} min` : `${minutes} min ${rounded % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
