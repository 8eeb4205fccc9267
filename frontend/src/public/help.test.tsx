import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { PARAGRAPHS } from '@/ui/FigureHelp';
import html from '../../../docs/evidence.md';

/** Every file below a folder. */
function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : [path];
  });
}

const sources = files('src')
  .filter((path) => path.endsWith('.tsx') && !path.endsWith('.test.tsx'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

test('each paragraph that a figure leads to is there', () => {
  const headings = new Set([...html.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id));
  expect(PARAGRAPHS.filter((id) => !headings.has(id))).toEqual([]);
  // Props may be built of anything, but types restrict them to the list.
  const about = sources.flatMap(({ text }) => [...text.matchAll(/\babout="([^"]+)"/g)].map(([, id]) => id));
  expect(about.length).toBeGreaterThan(20);
  expect(about.filter((id) => !(PARAGRAPHS as readonly (string | undefined)[]).includes(id))).toEqual([]);
});

/** Components that show a figure of evidence. */
const FIGURE =
  /<(?:Figured|Estimate|Statistic|ScrollTable|DiagnosticWarnings|Verdicts|Reliability|Slope|StepPair|Dots)\b/;
const LINK = /<(?:FigureHelp|EvidenceChart)\b/;
/** Words that instructions consist of, and counts of runs and credits. */
const PLAIN =
  /charts\/evidence\/(?:Estimate|Dots|Slope|StepPair|Reliability)|features\/(?:dashboard|admin|transactions)/;

test('every figure has a link to its paragraph, beside it or around it', () => {
  const importers = (path: string) => {
    const name = basename(path, '.tsx');
    return sources.filter(({ text }) => text.includes(`/${name}'`));
  };
  const isCovered = ({ path, text }: (typeof sources)[number], above: readonly string[] = []): boolean => {
    if (LINK.test(text)) return true;
    const around = importers(path).filter((each) => !above.includes(each.path));
    return around.length > 0 && around.every((each) => isCovered(each, [...above, path]));
  };
  const figures = sources.filter(({ path, text }) => FIGURE.test(text) && !PLAIN.test(path));
  expect(figures.length).toBeGreaterThan(10);
  expect(figures.filter((source) => !isCovered(source)).map(({ path }) => path)).toEqual([]);
});

test('tables have headings, and the document has no script', () => {
  expect(html).toContain('<th scope="col">');
  expect(html).not.toContain('<script');
});
