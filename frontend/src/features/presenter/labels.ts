/** Gap between two labels of a row, in pixels. */
const GAP = 16;

/** The place of a label, in pixels: `row` 0 is nearest to its dots. */
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

/** Sizes of the figure beside the name of a label, in em, as `pictures.css` has them. */
export const LARGE_FIGURE_EM = 2.25;
export const SMALL_FIGURE_EM = 1.25;
/** Gap between the figure and the name of a small label, in pixels. */
const FIGURE_GAP_PX = 8;
/** Large labels take at most so many rows; more of them become small. */
const MAX_LARGE_ROWS = 2;
/** Small labels take at most so many rows; more of them are listed under the dots. */
const MAX_SMALL_ROWS = 7;

/** A label as it is measured: where its dots begin, how wide its name is, and its figure at a size of 1 em, in pixels. */
export interface LabelSize {
  at: number;
  name: number;
  figure: number;
}

/** How the labels of a field stand: above their dots, large or small, or listed under all of them. */
export type LabelLayout =
  | { kind: 'large'; places: readonly LabelPlace[] }
  | { kind: 'small'; places: readonly LabelPlace[] }
  | { kind: 'listed'; places: readonly [] };

export function layOutLabels(labels: readonly LabelSize[], room: number): LabelLayout {
  const place = (widthOf: (label: LabelSize) => number) =>
    placeLabels(
      labels.map((label) => ({ at: label.at, width: widthOf(label) })),
      room,
    );
  const large = place(({ name, figure }) => Math.max(name, figure * LARGE_FIGURE_EM));
  if (countRows(large) <= MAX_LARGE_ROWS) return { kind: 'large', places: large };
  const small = place(({ name, figure }) => name + figure * SMALL_FIGURE_EM + FIGURE_GAP_PX);
  if (countRows(small) <= MAX_SMALL_ROWS) return { kind: 'small', places: small };
  return { kind: 'listed', places: [] };
}

export const countRows = (places: readonly LabelPlace[]): number =>
  Math.max(0, ...places.map(({ row }) => row)) + 1;
