import { expect, it } from 'vitest';
import { checkTable, NothingToExport, saveFile, saveWorkbook, titledName } from './saveFile';

it('a file without a name is not saved', () => {
  expect(() => saveFile(new Blob(), ' ')).toThrow('Invalid filename provided');
});

it('a name of a file has the words of the title, and no sign that a file system refuses', () => {
  expect(titledName('survey-3', ' Café: A/B, “why”? ')).toBe('survey-3-café-a-b-why');
  expect(titledName('survey-3', '…')).toBe('survey-3');
  expect(titledName('question-12', 'word '.repeat(40))).toBe(`question-12${'-word'.repeat(12)}`);
});

it('a workbook of nothing is not saved', () => {
  expect(() => saveWorkbook(new Blob(), '7a6b')).toThrow(new NothingToExport('No sheets to export'));
});

it('a table of nothing is not saved', () => {
  expect(() => checkTable(new Blob(['id,answer']), 0)).toThrow(new NothingToExport('No data to export'));
  expect(() => checkTable(new Blob(), 2)).toThrow(
    new NothingToExport('Data structure is invalid - no headers found'),
  );
  expect(() => checkTable(new Blob(['id,answer']), 2)).not.toThrow();
});
