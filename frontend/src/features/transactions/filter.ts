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

/** What a filter leaves, in its order. The search looks at descriptions, users and groups, in any case. */
export function applyFilter(transactions: readonly Transaction[], filter: Filter): Transaction[] {
  const wanted = filter.search.trim().toLowerCase();
  const direction = filter.ascending ? 1 : -1;
  return transactions
    .filter(({ groupId }) => filter.group === 'all' || groupId === filter.group)
    .filter(({ type }) => filter.type === 'all' || type === filter.type)
    .filter((each) => wanted === '' || searched(each).some((text) => text.toLowerCase().includes(wanted)))
    .sort((a, b) => direction * compare(a, b, filter.sort));
}

export function userName({ groupUser }: Transaction): string {
  return groupUser?.user?.name ?? groupUser?.user?.email ?? 'Unknown User';
}

export function groupName({ groupUser }: Transaction): string {
  return groupUser?.group?.groupName ?? 'Unknown Group';
}

function searched(transaction: Transaction): string[] {
  const { description, groupUser } = transaction;
  return [description, userName(transaction), groupUser?.user?.email ?? '', groupName(transaction)];
}

function compare(a: Transaction, b: Transaction, key: SortKey): number {
  if (key === 'amount') return Number(a.amount) - Number(b.amount);
  if (key === 'type') return a.type.localeCompare(b.type);
  return Date.parse(a.createdAt) - Date.parse(b.createdAt);
}
