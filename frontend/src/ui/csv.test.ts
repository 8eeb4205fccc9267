import { describe, expect, it } from 'vitest';
import { csvFile, NothingToExport } from './csv';

const text = async (rows: readonly object[]) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(await csvFile(rows).arrayBuffer());

describe('a CSV file', () => {
  it('quotes commas, quotes and newlines, and leaves null empty', async () => {
    expect(
      await text([
        { a: 'x,y', b: 'say "hi"', c: null },
        { a: 'two\nlines', b: 1, c: ['p', 'q'] },
      ]),
    ).toBe('\uFEFFa,b,c\r\n"x,y","say ""hi""",\r\n"two\nlines",1,"[""p"",""q""]"\r\n');
  });

  it('keeps spreadsheets from running text', async () => {
    expect(await text([{ a: '=1+1' }])).toContain("'=1+1");
  });

  it('is not made of nothing', () => {
    expect(() => csvFile([])).toThrow(new NothingToExport('No data to export'));
    expect(() => csvFile([{}])).toThrow(new NothingToExport('Data structure is invalid - no headers found'));
  });
});
