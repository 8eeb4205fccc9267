import { describe, expect, it } from 'vitest';
import { NothingToExport } from '@/api/saveFile';
import { csvText } from './download';

describe('a CSV file', () => {
  it('quotes commas, quotes and newlines, and leaves null empty', () => {
    expect(
      csvText([
        { a: 'x,y', b: 'say "hi"', c: null },
        { a: 'two\nlines', b: 1, c: ['p', 'q'] },
      ]),
    ).toBe('\uFEFFa,b,c\r\n"x,y","say ""hi""",\r\n"two\nlines",1,"[""p"",""q""]"\r\n');
  });

  it('keeps spreadsheets from running text', () => {
    expect(csvText([{ a: '=1+1' }])).toContain("'=1+1");
  });

  it('is not made of nothing', () => {
    expect(() => csvText([])).toThrow(new NothingToExport('No data to export'));
    expect(() => csvText([{}])).toThrow(new NothingToExport('Data structure is invalid - no headers found'));
  });
});
