import { Alert, Button } from 'antd';
import type { Draft, NameNotFound, PlanDocument } from '@/runs/plan/form';

const ends: Record<string, string> = { of: ' of', a: ', first', b: ', second' };

/** The contrast, counted from 0, and the end of it that a field names; `null`: it is no contrast's. */
function contrastOf(field: string): { place: number; end: string } | null {
  const [, place, end] = /^contrasts\[(\d+)\]\.(\w+)$/.exec(field) ?? [];
  return place === undefined || end === undefined ? null : { place: Number(place), end };
}

/** The place of the name in a draft: `Primary question`, `Contrast 2, first`. */
function placeOf(field: string): string {
  const contrast = contrastOf(field);
  return contrast === null ? 'Primary question' : `Contrast ${contrast.place + 1}${ends[contrast.end] ?? ''}`;
}

/** The draft with a name of the survey in place of one that the survey does not have. */
export function withName(draft: Draft, saved: PlanDocument, missing: NameNotFound, name: string): Draft {
  const named = contrastOf(missing.field);
  if (named === null) {
    const items = draft.primaryItems.map((item) => (item === missing.name ? name : item));
    return { ...draft, primaryItems: [...new Set(items)] };
  }
  // Contrasts that are not complete are not saved: the saved one is known by what it is between.
  const between = saved.contrasts?.[named.place]?.of;
  return {
    ...draft,
    contrasts: draft.contrasts.map((contrast) => {
      if (contrast.of?.trim() !== between) return contrast;
      const renamed = (key: 'of' | 'a' | 'b') =>
        key === named.end && contrast[key]?.trim() === missing.name ? { [key]: name } : {};
      return { ...contrast, ...renamed('of'), ...renamed('a'), ...renamed('b') };
    }),
  };
}

/** Names in a draft that the survey does not have: what they named was renamed or removed. */
export function NamesNotFound({
  names,
  onReplace,
}: {
  names: readonly NameNotFound[];
  onReplace: (missing: NameNotFound, name: string) => void;
}) {
  if (names.length === 0) return null;
  return (
    <Alert
      type="warning"
      role="status"
      className="plan-gone"
      title="Names in this plan that the survey does not have"
      description={
        <ul className="plan-missing alert-items stack gap-1 long-word">
          {names.map((missing) => (
            <li key={`${missing.field} ${missing.name}`}>
              {placeOf(missing.field)}: “{missing.name}”
              {missing.nearest == null ? (
                '. Nothing there has a name like it.'
              ) : (
                <>
                  {' '}
                  <Button size="small" onClick={() => onReplace(missing, missing.nearest ?? '')}>
                    Use “{missing.nearest}” instead
                  </Button>
                </>
              )}
            </li>
          ))}
        </ul>
      }
    />
  );
}
