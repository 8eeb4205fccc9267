import { date } from '@/ui/format';

const DAY = 86_400_000;
/** Days after which a price that was read is likely to have changed. */
const STALE_AFTER_DAYS = 90;

/** `prices of Nov 28, 2026, may have changed since`; `null`: nobody says when the price was read. `at`: when it counts. */
export function priceAge(asOf: string | null | undefined, at: string | number = Date.now()): string | null {
  if (asOf == null) return null;
  const days = Math.floor((new Date(at).getTime() - new Date(`${asOf}T00:00`).getTime()) / DAY);
  const age = days < 1 ? '' : days === 1 ? ', a day old' : `, ${days} days old`;
  return `prices of ${date(`${asOf}T00:00`)}${age}${days > STALE_AFTER_DAYS ? ', may have changed since' : ''}`;
}
