import { expect, it } from 'vitest';
import { saveFile } from './saveFile';

it('a file without a name is not saved', () => {
  expect(() => saveFile(new Blob(), ' ')).toThrow('Invalid filename provided');
});
