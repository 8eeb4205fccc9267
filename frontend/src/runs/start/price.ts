import type { SimulationConfig } from '@/api/types';
import { money } from '@/ui/format';

/** The part of a question's tokens that its text and options take; the rest is its answer. */
const ASKED = 2 / 3;
/** Calls that are repeated because an answer did not pass. */
const REPEATED = 1.1;
const MILLION = 1_000_000;

/** The prices of the models; of one without a price for batches, the usual one holds. */
export const pricesOf = (
  { prices, batchPrices }: Pick<SimulationConfig, 'prices' | 'batchPrices'>,
  batch: boolean,
): SimulationConfig['prices'] => (batch ? { ...prices, ...batchPrices } : prices);

/**
 * Expected cost of a run in money. `low` assumes profiles cached after their first call and short answers; `high`
 * assumes nothing cached, long answers and a tenth of the calls repeated. `null` if the model has no price.
 */
export function expectedCost(
  config: Pick<SimulationConfig, 'prices' | 'tokensPerProfile' | 'tokensPerQuestion'>,
  model: string,
  { personas, questions, calls }: { personas: number; questions: number; calls: number },
): { low: number; high: number; currency: string } | null {
  const price = config.prices[model];
  if (price === undefined) return null;
  const first = Math.min(calls, personas) * config.tokensPerProfile;
  const again = Math.max(0, calls - personas) * config.tokensPerProfile;
  const asked = personas * questions * config.tokensPerQuestion * ASKED;
  const answered = personas * questions * config.tokensPerQuestion * (1 - ASKED);
  // Prices are in millionths of the currency's unit per million tokens.
  const units = (parts: number) => parts / MILLION / MILLION;
  const low = (first + asked) * price.prompt + again * price.cached + (answered / 2) * price.completion;
  const high = (first + again + asked) * price.prompt + answered * price.completion;
  return { low: units(low), high: units(high * REPEATED), currency: price.currency };
}

/** `$0.86 to $1.16`. */
export function costText({ low, high, currency }: { low: number; high: number; currency: string }): string {
  const [least, most] = [money(low, currency), money(high, currency)];
  return least === most ? least : `${least} to ${most}`;
}
