/** Something, an at sign, and a domain with a dot in it. The server and the mail decide the rest. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text.trim());
}
