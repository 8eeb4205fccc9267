import type { Transaction, TransactionType } from '@/api/types';

export type SortKey = 'date' | 'amount' | 'type';

export interface Filter {
  group: number | 'all';
  type: TransactionType | 'all';
  search: string;
  /** First and last day, as `2026-01-31`; empty for none. */
  from: string;
  to: string;
  sort: SortKey;
  ascending: boolean;
}

export const unfiltered: Filter = {
  group: 'all',
  type: 'all',
  search: '',
  from: '',
  to: '',
  sort: 'date',
  ascending: false,
};

/** Nothing is left out; the order is no matter. */
export function isUnfiltered({ group, type, search, from, to }: Filter): boolean {
  return group === 'all' && type === 'all' && search.trim() === '' && from === '' && to === '';
}

/** The filter as the server takes it. It looks at descriptions, users and groups, in any case. */
export function queryOf({ group, type, search, from, to, sort, ascending }: Filter) {
  return {
    ...(group !== 'all' && { group }),
    ...(type !== 'all' && { type }),
    ...(search.trim() !== '' && { q: search.trim() }),
    ...(from !== '' && { from }),
    ...(to !== '' && { to }),
    sort,
    order: ascending ? ('asc' as const) : ('desc' as const),
  };
}

const oneOf = <Value extends string>(
  value: string | null,
  values: readonly Value[],
  otherwise: Value,
): Value => values.find((each) => each === value) ?? otherwise;
const day = (value: string | null) => (/^\d{4}-\d\d-\d\d$/.test(value ?? '') ? (value ?? '') : '');

/** The filter that stands in the address; what cannot be read there is none. */
export function filterOf(address: URLSearchParams): Filter {
  const group = Number(address.get('group'));
  return {
    group: Number.isInteger(group) && group > 0 ? group : 'all',
    type: oneOf(address.get('type'), ['ADD', 'MINES', 'SET', 'all'], 'all'),
    search: address.get('q') ?? '',
    from: day(address.get('from')),
    to: day(address.get('to')),
    sort: oneOf(address.get('sort'), ['date', 'amount', 'type'], 'date'),
    ascending: address.get('order') === 'asc',
  };
}

/** The parameters of the address: only those that differ from the defaults. */
export function addressOf(filter: Filter, page: number): Record<string, string> {
  const { group, type, search, from, to, sort, ascending } = filter;
  return {
    ...(group !== 'all' && { group: String(group) }),
    ...(type !== 'all' && { type }),
    ...(search !== '' && { q: search }),
    ...(from !== '' && { from }),
    ...(to !== '' && { to }),
    ...(sort !== 'date' && { sort }),
    ...(ascending && { order: 'asc' }),
    ...(page > 1 && { page: String(page) }),
  };
}

export function userName({ groupUser }: Transaction): string {
  return groupUser?.user.name ?? groupUser?.user.email ?? 'Unknown User';
}

export function groupName({ groupUser }: Transaction): string {
  return groupUser?.group.groupName ?? 'Unknown Group';
}
