import { Alert, Button } from 'antd';
import type { Draft, NameNotFound, PlanDocument } from './form';

const ends: Record<string, string> = { of: ' of', a: ', first', b: ', second' };

/** Where a draft says the name: `Primary question`, `Contrast 2, first`. */
function placeOf(field: string): string {
  const [, place, end] = /^contrasts\[(\d+)\]\.(\w+)$/.exec(field) ?? [];
  return place === undefined ? 'Primary question' : `Contrast ${Number(place) + 1}${ends[end ?? ''] ?? ''}`;
}

/** The draft with a name of the survey in the place of one that it has not. */
export function withName(draft: Draft, saved: PlanDocument, missing: NameNotFound, name: string): Draft {
  const [, place, end] = /^contrasts\[(\d+)\]\.(\w+)$/.exec(missing.field) ?? [];
  if (place === undefined) {
    const items = draft.primaryItems.map((item) => (item === missing.name ? name : item));
    return { ...draft, primaryItems: [...new Set(items)] };
  }
  // Contrasts that are not complete are not saved: the saved one is known by what it is between.
  const between = saved.contrasts?.[Number(place)]?.of;
  return {
    ...draft,
    contrasts: draft.contrasts.map((contrast) => {
      if (contrast.of?.trim() !== between) return contrast;
      const named = (key: 'of' | 'a' | 'b') =>
        key === end && contrast[key]?.trim() === missing.name ? { [key]: name } : {};
      return { ...contrast, ...named('of'), ...named('a'), ...named('b') };
    }),
  };
}

/** What a draft speaks of and the survey has not: somebody gave it another name, or took it out. */
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
        <ul className="plan-missing">
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
