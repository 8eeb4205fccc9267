import type { Transaction, TransactionType } from '@/api/types';

export type SortKey = 'date' | 'amount' | 'type';

export interface Filter {
  group: number | 'all';
  type: TransactionType | 'all';
  search: string;
  sort: SortKey;
  ascending: boolean;
}

export const unfiltered: Filter = { group: 'all', type: 'all', search: '', sort: 'date', ascending: false };

/** Nothing is left out; the order is no matter. */
export function isUnfiltered({ group, type, search }: Filter): boolean {
  return group === 'all' && type === 'all' && search.trim() === '';
}

/** The filter as the server takes it. It looks at descriptions, users and groups, in any case. */
export function queryOf({ group, type, search, sort, ascending }: Filter) {
  return {
    ...(group !== 'all' && { group }),
    ...(type !== 'all' && { type }),
    ...(search.trim() !== '' && { q: search.trim() }),
    sort,
    order: ascending ? ('asc' as const) : ('desc' as const),
  };
}

export function userName({ groupUser }: Transaction): string {
  return groupUser?.user.name ?? groupUser?.user.email ?? 'Unknown User';
}

export function groupName({ groupUser }: Transaction): string {
  return groupUser?.group.groupName ?? 'Unknown Group';
}
