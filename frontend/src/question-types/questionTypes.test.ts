import { expect, it } from 'vitest';
import { BLANK_DRAFT } from './draft';
import { problemOf, withType } from './content';
import { offered, questionTypes, typeName } from './questionTypes';

const sources = import.meta.glob<string>(
  ['../**/*.{ts,tsx}', '!../**/*.test.*', '!../testing/**', '!../api/schema.ts', '!./**'],
  { query: '?raw', import: 'default', eager: true },
);

it('only what writes surveys names a question type outside this folder', () => {
  expect(Object.keys(sources).length).toBeGreaterThan(300);
  const name = new RegExp(`'(?:${Object.keys(questionTypes).join('|')})'`);
  const naming = Object.entries(sources).filter(([, source]) => name.test(source));
  expect(naming.map(([path]) => path).sort()).toEqual([
    '../features/surveys/plainText.ts',
    '../features/surveys/templates.ts',
  ]);
});

it('the form offers ten types, the five of every survey first', () => {
  expect(offered.map(typeName)).toEqual([
    'Single Choice',
    'Multiple Choice',
    'Matrix Rating',
    'Slider',
    'Text Entry',
    'Matrix Multiple',
    'Constant Sum',
    'Ranking',
    'Best-Worst',
    'Text Only',
  ]);
});

it('a type has its name in any case, and an unknown one is written out', () => {
  expect(['single_choice', 'RANGE', 'Openended', 'hot_spot'].map(typeName)).toEqual([
    'Single Choice',
    'Range',
    'Openended',
    'Hot spot',
  ]);
});

it('a draft that becomes of a type lacks what that type needs, and nothing else', () => {
  const problems = Object.keys(questionTypes).flatMap((type) => {
    const problem = problemOf(
      withType({ ...BLANK_DRAFT, text: 'A text' }, type as keyof typeof questionTypes),
    );
    return problem === null ? [] : [`${type}: ${problem}`];
  });
  expect(problems).toEqual([
    'SINGLE_CHOICE: Choice questions must have at least 2 non-empty options',
    'MULTIPLE_CHOICE: Choice questions must have at least 2 non-empty options',
    'MATRIX_MULTI: Matrix questions must have at least 2 non-empty scale labels',
    'CONSTANT_SUM: Constant sum questions must have at least 2 non-empty options',
    'RANK: Ranking questions must have at least 2 non-empty options',
    'BEST_WORST: Best-worst questions must have at least 2 non-empty options',
    'RANGE: Range questions must have both minimum and maximum values',
  ]);
});
