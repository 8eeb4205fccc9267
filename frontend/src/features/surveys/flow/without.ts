/** Copies an object without one of its members. */
export function without<Members extends object, Name extends keyof Members>(
  members: Members,
  name: Name,
): Omit<Members, Name> {
  return Object.fromEntries(Object.entries(members).filter(([other]) => other !== name)) as Omit<
    Members,
    Name
  >;
}
