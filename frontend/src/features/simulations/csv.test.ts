import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { NothingToExport } from '@/api/saveFile';
import { csvOf } from './csv';

/** What the server gives for one run; its own tests check that. */
const ofServer = (name: string) =>
  readFileSync(resolve(import.meta.dirname, '../../../../backend/tests/fixtures', name), 'utf8');

it('the file is to the byte the one that the server gives', () => {
  const { file, rows } = csvOf(ofServer('export.raw.csv'));
  expect(file).toBe(ofServer('export.csv'));
  expect(rows).toBe(27);
});

it.each(['=1', '+x', '-x', '@x', '＝1', '－1', '\uFEFF=1', '-1-2', '+'])(
  '%j is kept from running',
  (text) => {
    expect(csvOf(`a\r\n"${text}"\r\n`).file).toContain(`'${text}`);
  },
);

it.each(['-5', '+3', '-2.2', '-1e-7', "'=1", 'a=b'])('%j stays as it is', (text) => {
  expect(csvOf(`a\r\n${text}\r\n`).file).toBe(`\uFEFFa\r\n${text}\r\n`);
});

it('a file is not made of nothing', () => {
  expect(() => csvOf('\uFEFFid,answer\r\n')).toThrow(new NothingToExport('No data to export'));
  expect(() => csvOf('')).toThrow(new NothingToExport('Data structure is invalid - no headers found'));
});
