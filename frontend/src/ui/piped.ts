/**
 * Texts with pipes, as the server reads them: `{{answer:Q3}}`, `{{field:fee}}`, `{{twin:Age}}` and `{{loop:text}}` insert
 * what a twin knows; `\{{` stands for two braces, and other names between braces are no pipes.
 */
const PIPE = /\\\{\{|\{\{\s*(answer|field|twin|loop)\s*:\s*([^{}\n]*?)\s*\}\}/g;

/** A part of a text: as it is written, or the name of what is inserted there. */
export type TextPart = string | { kind: 'answer' | 'field' | 'twin' | 'loop'; name: string };

export function partsOfText(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { 0: found, 1: kind, 2: name, index } of text.matchAll(PIPE)) {
    parts.push(text.slice(from, index));
    if (kind === undefined) parts.push('{{');
    else if (name === undefined || name === '') parts.push(found);
    else parts.push({ kind: kind as 'field', name });
    from = index + found.length;
  }
  return [...parts, text.slice(from)].filter((part) => part !== '');
}

/** The text where only plain text can stand, with names in brackets: `How fair is [fee]?` */
export const plainText = (text: string): string =>
  partsOfText(text)
    .map((part) => (typeof part === 'string' ? part : `[${part.name}]`))
    .join('');

/** The texts that an arm sets fields to, by the name of the field. */
export type FieldTexts = Readonly<Record<string, string>>;

/** Whether a text reads a field that the arm sets. */
export const readsField = (text: string, fields: FieldTexts): boolean =>
  partsOfText(text).some(
    (part) => typeof part !== 'string' && part.kind === 'field' && fields[part.name] !== undefined,
  );
