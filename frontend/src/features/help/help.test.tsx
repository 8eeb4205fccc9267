import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import html from '../../../../docs/evidence.md';

/** Every file below a folder. */
function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : [path];
  });
}

test('each paragraph that a figure leads to is there', () => {
  const headings = new Set([...html.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id));
  const source = files('src').filter((path) => path.endsWith('.tsx') && !path.endsWith('.test.tsx'));
  const about = source.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/<FigureHelp about="([^"]+)"/g)].map(([, id]) => id),
  );
  expect(about.length).toBeGreaterThan(4);
  expect(about.filter((id) => !headings.has(id))).toEqual([]);
});

test('tables have headings, and the document has no script', () => {
  expect(html).toContain('<th scope="col">');
  expect(html).not.toContain('<script');
});
