/** For a field that is wrong: the element with this id says why. */
export const invalid = (why: string) => ({ 'aria-invalid': true, 'aria-describedby': why }) as const;
