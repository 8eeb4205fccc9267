import type { Random } from '@/api/design';
import { count } from '@/ui/format';

/** The share of the twins at a random node whom each arm is dealt to. */
export function sharesOf({ take, of }: Random): number[] {
  const weights = of.map(({ weight = 1 }) => weight);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  if (take === undefined || take >= of.length) return of.map(() => 1);
  // Of several arms a twin has each once at most.
  return weights.map((weight) => (all === 0 ? 0 : Math.min(1, (take * weight) / all)));
}

/** `50 twins`, `33 or 34 twins`. */
export function twinsInWords(twins: number): string {
  // What floats make of thirds.
  const exact = Math.round(twins * 1e6) / 1e6;
  const [low, high] = [Math.floor(exact), Math.ceil(exact)];
  if (low !== high) return `${count(low)} or ${count(high)} twins`;
  return low === 1 ? '1 twin' : `${count(low)} twins`;
}
