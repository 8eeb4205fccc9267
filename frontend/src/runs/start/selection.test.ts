import { describe, expect, it } from 'vitest';
import { clampCount, defaultCount, ignoredText, readPersonaIds } from './selection';

describe('the selection of personas', () => {
  it('starts with a hundred, or all where there are fewer', () => {
    expect(defaultCount(2058, 2058)).toBe(100);
    expect(defaultCount(40, 40)).toBe(40);
  });

  it('starts with no more than the credits allow, and shows what is missing where there are none', () => {
    expect(defaultCount(2058, 81)).toBe(81);
    expect(defaultCount(2058, 0)).toBe(100);
  });

  it('stays between one and all', () => {
    expect([0, 7.9, 99, Number.NaN].map((count) => clampCount(count, 50))).toEqual([1, 7, 50, 1]);
  });

  it('reads ids and ranges, each once, within what exists', () => {
    expect(readPersonaIds('3, 1\n2;2 48-60 7–5', 50).ids).toEqual([3, 1, 2, 48, 49, 50, 5, 6, 7]);
  });

  it('names what it left out, and why', () => {
    const { ids, ignored } = readPersonaIds('1-50, 77, abc, 99999, 3, 0, -4, 90-120', 100);
    expect(ids).toHaveLength(50 + 1 + 11);
    expect(ignored).toEqual([
      { text: 'abc', why: 'not an id' },
      { text: '99999', why: 'the last id is 100' },
      { text: '3', why: 'named before' },
      { text: '0', why: 'ids begin at 1' },
      { text: '-4', why: 'not an id' },
      { text: '101-120', why: 'the last id is 100' },
    ]);
    expect(ignoredText(ignored)).toBe(
      'abc (not an id), 99999 (the last id is 100), 3 (named before), 0 (ids begin at 1), -4 (not an id) and 1 more',
    );
  });

  it('leaves out those that were deleted, once each', () => {
    const { ids, ignored } = readPersonaIds('1-5, 3, 4, 3', 6, [3, 5]);
    expect(ids).toEqual([1, 2, 4]);
    expect(ignoredText(ignored)).toBe(
      '3 (named before), 4 (named before), 3 (named before), 3 (deleted), 5 (deleted)',
    );
  });

  it('reads a range of a thousand million ids without counting them', () => {
    expect(readPersonaIds('1-1000000000', 3).ids).toEqual([1, 2, 3]);
  });
});
