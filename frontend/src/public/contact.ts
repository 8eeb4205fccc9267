/** The address of the pages' contact links, which the server puts into the page it serves. */
export function contactEmail(): string {
  return document.querySelector('meta[name="contact"]')?.getAttribute('content') ?? 'contact@example.org';
}

export function mailto(subject?: string): string {
  return `mailto:${contactEmail()}${subject === undefined ? '' : `?subject=${encodeURIComponent(subject)}`}`;
}
