import Papa from 'papaparse';

/** An e-mail of a class list; `known` is a member already. */
export interface Listed {
  text: string;
  kind: 'new' | 'known' | 'invalid';
}

const EMAIL = /^[^\s@<>",;]+@[^\s@<>",;]+\.[^\s@<>",;]+$/;

/**
 * The e-mails of a list that was pasted or uploaded, each once, in its order: separated by commas, semicolons, spaces or
 * lines, alone or as `Ada <ada@example.org>`, or anywhere in the rows of a CSV. A row without one is invalid, unless it is
 * the first one and names the columns.
 */
export function readClassList(text: string, members: readonly string[]): Listed[] {
  const known = new Set(members.map((email) => email.toLowerCase()));
  const found = new Map<string, Listed>();
  const rows = Papa.parse<string[]>(text.trim(), { skipEmptyLines: 'greedy' }).data;
  rows.forEach((cells, row) => {
    const parts = cells.flatMap((cell) => cell.split(/[\s,;<>"']+/)).filter((part) => part.includes('@'));
    if (parts.length === 0) {
      const whole = cells.join(' ').trim();
      if (row > 0 || !/mail/i.test(whole)) found.set(whole, { text: whole, kind: 'invalid' });
    }
    for (const part of parts) {
      const email = part.toLowerCase();
      const kind = !EMAIL.test(email) ? 'invalid' : known.has(email) ? 'known' : 'new';
      if (!found.has(email)) found.set(email, { text: part, kind });
    }
  });
  return [...found.values()];
}
