import { describe, expect, it } from 'vitest';
import { question } from '@/testing/fixtures';
import { difference, renumbered, sameContent } from './history';

const list = (...ids: number[]) =>
  ids.map((id, index) => ({ ...question, id, order: index + 1, text: `Q${id}` }));

describe('the difference of two lists of questions', () => {
  it('is nothing where nothing changed', () => {
    expect(difference(list(1, 2), list(1, 2))).toEqual({ removed: [], changed: [], added: [], moved: false });
  });

  it('names what is gone and what is new', () => {
    const { removed, added, moved } = difference(list(1, 2, 3), list(1, 3, 4));
    expect([removed.map(({ id }) => id), added.map(({ id }) => id), moved]).toEqual([[2], [4], false]);
  });

  it('sees that a new question does not stand at the end', () => {
    expect(difference(list(1, 2), list(1, 3, 2)).moved).toBe(true);
    expect(difference(list(1, 2), list(1, 2, 3)).moved).toBe(false);
  });

  it('sees another order, and no change in what only has another place', () => {
    const { moved, changed } = difference(list(1, 2), list(2, 1));
    expect([moved, changed]).toEqual([true, []]);
  });

  it('names what says something else', () => {
    const to = list(1, 2).map((one) => (one.id === 2 ? { ...one, text: 'Other' } : one));
    expect(difference(list(1, 2), to).changed).toEqual([to[1]]);
  });
});

it('a question says the same at another place and under another id', () => {
  expect(sameContent(question, { ...question, id: 99, order: 7 })).toBe(true);
  expect(sameContent(question, { ...question, required: false })).toBe(false);
});

it('numbers follow the list, and who has the right one stays the same object', () => {
  const [first, second, third] = list(1, 2, 3);
  if (first === undefined || second === undefined || third === undefined) throw new Error('three were made');
  const moved = renumbered([second, first, third]);
  expect(moved.map(({ id, order }) => [id, order])).toEqual([
    [2, 1],
    [1, 2],
    [3, 3],
  ]);
  expect(moved[2]).toBe(third);
});
