/** Rows one below the other, from `top` on. */
export function stackRows<Item, Row extends { height: number }>(
  items: readonly Item[],
  row: (item: Item) => Row,
  top = 0,
) {
  let y = top;
  const rows = items.map((item) => {
    const placed = { item, y, ...row(item) };
    y += placed.height;
    return placed;
  });
  return { rows, height: y };
}
