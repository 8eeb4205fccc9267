/**
 * Twins that have, of each label, any of its values, as the query of a call. The schema has one value of a label; the
 * server takes several.
 */
export const attributesQuery = (where: Readonly<Record<string, readonly string[]>>) => ({
  attributes: where as unknown as Record<string, string>,
});
