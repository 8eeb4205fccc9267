/** As `Array.isArray`, which makes `any[]` of what it is asked about. */
export const isArray = <Item>(value: Item | Item[]): value is Item[] => Array.isArray(value);
