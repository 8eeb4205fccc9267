import { expect, test } from 'vitest';
import { nextOf } from '@/paths';

const next = (query: string) => nextOf(new URLSearchParams(query));

test('after the sign-in people come to a page of this site alone', () => {
  expect(next('next=/surveys/3%3Ftab%3Druns')).toBe('/surveys/3?tab=runs');
  expect(next('next=/')).toBe('/');
  expect(next('')).toBeNull();
  const elsewhere = [
    '//evil.example',
    '/%5Cevil.example',
    'https://evil.example',
    'evil.example',
    '%5C%5Cevil.example',
  ];
  const hidden = [
    '/%09/evil.example',
    '/%0a/evil.example',
    '/%0d%0a/evil.example',
    '%09//evil.example',
    '/x%00',
    '/x%7f',
  ];
  for (const address of [...elsewhere, ...hidden]) {
    expect(next(`next=${address}`), address).toBeNull();
  }
});
