import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SOURCES = import.meta.dirname;
/** The lines that all style sheets may have together: what pages share belongs into `ui/layout.css`. */
const MAX_LINES = 5_400;

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).map((name) => join(SOURCES, name));
const read = (file: string) => readFileSync(file, 'utf8');
const sheets = files.filter((file) => file.endsWith('.css')).map(read);
const code = [
  ...files.filter((file) => /(?<!\.test|schema)\.tsx?$/.test(file)),
  join(SOURCES, '../markdown.ts'),
]
  .concat(join(SOURCES, '../index.html'))
  .map(read)
  .join('\n');

/** Whether a class is written out in the code, or made of a prefix and a value: `notice-${kind}`. */
function isNamed(name: string): boolean {
  const prefix = name.slice(0, name.lastIndexOf('-') + 1);
  return (
    new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(code) || (prefix !== '' && code.includes(`${prefix}\${`))
  );
}

it('every class of the style sheets is one that a component has', () => {
  const selectors = sheets
    .map((text) => text.replaceAll(/\/\*[\s\S]*?\*\//g, ''))
    .flatMap((text) => text.match(/[^{};]+(?=\{)/g) ?? []);
  const classes = selectors.flatMap((selector) => selector.match(/(?<=\.)[a-z][\w-]*/gi) ?? []);
  const ours = new Set(classes.filter((name) => !name.startsWith('ant-')));
  expect(ours.size).toBeGreaterThan(300);
  expect([...ours].filter((name) => !isNamed(name))).toEqual([]);
});

it('the style sheets stay small', () => {
  const lines = sheets.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
  expect(lines).toBeLessThanOrEqual(MAX_LINES);
});
