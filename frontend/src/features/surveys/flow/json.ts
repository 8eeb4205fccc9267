import type { Design } from '@/api/design';
import { FormError, readDesign } from './form';

export type Parsed = { design: Design } | { problem: string };

/** A design from what somebody typed, or what is wrong with it and where. */
export function parse(text: string): Parsed {
  try {
    return { design: readDesign(JSON.parse(text)) };
  } catch (error) {
    if (error instanceof FormError)
      return { problem: `${error.pointer === '' ? 'At the top' : error.pointer}: ${error.message}` };
    return { problem: `No JSON: ${syntaxOf(text, error)}` };
  }
}

/** Browsers name the offset, the line or neither. */
function syntaxOf(text: string, error: unknown): string {
  const said = error instanceof Error ? error.message : 'it cannot be read';
  const offset = /at position (\d+)/.exec(said)?.[1];
  const line = /line (\d+)/.exec(said)?.[1];
  const number = offset === undefined ? line : String(text.slice(0, Number(offset)).split('\n').length);
  const what = said.replace(/^JSON\.parse: /, '').replace(/\s*(in JSON )?at (position|line).*$/, '');
  return number === undefined ? what : `line ${number}: ${what}`;
}

export const written = ({ flow, tables }: Design) => JSON.stringify({ flow, tables }, null, 2);
