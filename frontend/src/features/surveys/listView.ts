import type { Survey } from '@/api/types';
import { useAddress } from '@/ui/titleAndAddress';

/** Columns that the list can be sorted by. */
const values = {
  survey: ({ title }: Survey) => title.toLowerCase(),
  group: ({ group }: Survey) => group?.group_name.toLowerCase() ?? '',
  questions: ({ questionCount }: Survey) => questionCount,
  run: ({ simulation_completed_at: completed, simulation_status: status }: Survey) =>
    completed ?? (status == null ? '' : '9'),
  changed: ({ updatedAt }: Survey) => updatedAt,
};
export type SortKey = keyof typeof values;

export interface ListView {
  q: string;
  /** Sort order; null for the server's order, the newest first. */
  sort: SortKey | null;
  down: boolean;
}

/** The part of the list that is shown and its order, which the address has. */
export function useListView(): [ListView, (part: Partial<ListView>) => void] {
  const [params, setParams] = useAddress();
  const sort = params.get('sort') ?? '';
  const key = sort.replace(/^-/, '');
  const view: ListView = {
    q: params.get('q') ?? '',
    sort: key in values ? (key as SortKey) : null,
    down: sort.startsWith('-'),
  };
  const change = (part: Partial<ListView>) => {
    const next = { ...view, ...part };
    setParams({
      q: next.q,
      sort: next.sort === null ? null : `${next.down ? '-' : ''}${next.sort}`,
      page: null,
    });
  };
  return [view, change];
}

/** The surveys with a text in their title, description or group, in the order of a view. */
export function arranged(surveys: readonly Survey[], { q, sort, down }: ListView): Survey[] {
  const wanted = q.trim().toLowerCase();
  const found = surveys.filter(({ title, description, group }) =>
    [title, description, group?.group_name ?? ''].some((text) => text.toLowerCase().includes(wanted)),
  );
  if (sort === null) return found;
  const value = values[sort];
  const compare = (a: Survey, b: Survey) => {
    const [x, y] = [value(a), value(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  };
  return found.toSorted(down ? (a, b) => compare(b, a) : compare);
}
