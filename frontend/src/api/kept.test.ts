import { expect, it } from 'vitest';
import { kept, localEntry, sessionEntry } from './kept';

const sources = import.meta.glob<string>(['../**/*.{ts,tsx}', '!../**/*.test.*', '!../testing/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

it('nothing is kept in the browser but by these entries', () => {
  expect(Object.keys(sources).length).toBeGreaterThan(300);
  const others = Object.entries(sources)
    .filter(([path, source]) => path !== './kept.ts' && /\b(local|session)Storage\b/.test(source))
    .map(([path]) => path);
  // `useDraft.ts` and the privacy page only speak of it.
  expect(others.filter((path) => /Storage\s*[.[(]/.test(sources[path] ?? ''))).toEqual([]);
});

it('every entry is used', () => {
  const code = Object.entries(sources)
    .filter(([path]) => path !== './kept.ts')
    .map(([, source]) => source)
    .join('');
  for (const key of Object.keys(kept))
    expect(code, key).toMatch(new RegExp(`(local|session)Entry\\('${key}'`));
});

it('an entry is written, read and removed', () => {
  const entry = localEntry('first-run-', 'charts-1');
  entry.write('yes');
  expect([localStorage.getItem('first-run-charts-1'), entry.read()]).toEqual(['yes', 'yes']);
  entry.write(null);
  expect([localStorage.length, sessionEntry('left').read()]).toEqual([0, null]);
});
