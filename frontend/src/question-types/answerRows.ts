/** The answers to rows or options in the order of `texts`, which an object of the server's does not keep. */
export function rowsInOrder(answer: object, texts: readonly string[]): [string, unknown][] {
  // Texts that the design filled in are none of the question's: they come last.
  const place = (name: string) => (texts.includes(name) ? texts.indexOf(name) : texts.length);
  return Object.entries(answer).toSorted(([one], [other]) => place(one) - place(other));
}
