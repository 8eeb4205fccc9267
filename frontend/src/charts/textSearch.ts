import { useAddress } from '@/ui/titleAndAddress';
import type { Part } from './figures';

/** A search among the answers to a question in free words. */
export interface TextSearch {
  /** The text that they contain; empty for all. */
  q: string;
  theme: string | null;
  /** The group of twins, where the charts are split. */
  group: string | null;
}

/** Query parameters of the API. A group of another split is not among `groups`, and is left out. */
export function textSearchQuery({ q, theme, group }: TextSearch, groups: readonly Part[]) {
  const text = q.trim();
  return {
    ...(text !== '' && { q: text }),
    ...(theme !== null && { theme }),
    ...(group !== null && groups.some(({ name }) => name === group) && { group }),
  };
}

/**
 * Keeps the search of a question in the address, under the question's number, so that a link shows the same:
 * `?q8=cheap&theme8=bus&group8=Female`.
 */
export function useTextSearch(order: number): [TextSearch, (change: Partial<TextSearch>) => void] {
  const [address, change] = useAddress();
  const sought = {
    q: address.get(`q${order}`) ?? '',
    theme: address.get(`theme${order}`),
    group: address.get(`group${order}`),
  };
  const seek = (wanted: Partial<TextSearch>) =>
    change(Object.fromEntries(Object.entries(wanted).map(([name, value]) => [`${name}${order}`, value])));
  return [sought, seek];
}
