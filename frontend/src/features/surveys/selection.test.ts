import { describe, expect, it } from 'vitest';
import { clampCount, defaultCount, parsePersonaIds } from './selection';

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

  it('reads ids separated by comma, space or newline, each once, within what exists', () => {
    expect(parsePersonaIds('3, 1\n2 2 x 0 51 -4', 50, 10)).toEqual([3, 1, 2]);
  });

  it('cuts the list to the count', () => {
    expect(parsePersonaIds('1 2 3 4', 50, 2)).toEqual([1, 2]);
  });
});
