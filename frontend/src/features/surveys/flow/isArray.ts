/** `Array.isArray` with a type that is narrower than its `any[]`. */
export const isArray = <Item>(value: Item | Item[]): value is Item[] => Array.isArray(value);
