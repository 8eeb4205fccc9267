/** Between two labels of a row, in pixels. */
const GAP = 16;

/** Where a label stands, in pixels: `row` 0 is nearest to what it names. */
export interface LabelPlace {
  from: number;
  row: number;
}

/**
 * Places labels, which are in order from the left. Each begins at `at`, or so far before it that it ends within `room`.
 * None covers another, or the line that leads from one in a higher row down to its `at`.
 */
export function placeLabels(labels: readonly { at: number; width: number }[], room: number): LabelPlace[] {
  const places = labels.map(({ at, width }) => ({
    from: Math.max(0, Math.min(at, room - width)),
    row: 0,
  }));
  // From the right: a label that reaches over some after it stands above all of them.
  for (let place = labels.length - 1; place >= 0; place -= 1) {
    const own = places[place];
    if (own === undefined) continue;
    const end = own.from + (labels[place]?.width ?? 0) + GAP;
    const covered = places.slice(place + 1).filter(({ from }) => from < end);
    own.row = covered.length === 0 ? 0 : Math.max(...covered.map(({ row }) => row)) + 1;
  }
  return places;
}
