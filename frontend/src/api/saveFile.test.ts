import { expect, it } from 'vitest';
import { NothingToExport, saveFile, saveWorkbook } from './saveFile';

it('a file without a name is not saved', () => {
  expect(() => saveFile(new Blob(), ' ')).toThrow('Invalid filename provided');
});

it('a workbook of nothing is not saved', () => {
  expect(() => saveWorkbook(new Blob(), '7a6b')).toThrow(new NothingToExport('No sheets to export'));
});
