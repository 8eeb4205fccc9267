import { expect, it } from 'vitest';
import { survey } from '@/testing/fixtures';
import { arranged, type ListView, type SortKey } from './listView';

const made = (id: number, title: string, part = {}) => ({ ...survey, id, title, ...part });
const surveys = [
  made(1, 'Tea', { questionCount: 3, updatedAt: '2026-03-01T00:00:00Z', description: 'of the morning' }),
  made(2, 'coffee', { questionCount: 10, simulation_completed_at: '2026-02-01T00:00:00Z' }),
  made(3, 'Water', { questionCount: 1, group: { id: 9, group_name: 'Evenings' } }),
];
const ids = (part: Partial<ListView>) =>
  arranged(surveys, { q: '', sort: null, down: false, ...part }).map(({ id }) => id);

it('the list of surveys keeps its order until another is wished', () => {
  expect(ids({})).toEqual([1, 2, 3]);
});

it.each<[SortKey, boolean, number[]]>([
  ['survey', false, [2, 1, 3]],
  ['survey', true, [3, 1, 2]],
  ['questions', false, [3, 1, 2]],
  ['run', true, [2, 1, 3]],
  ['changed', true, [1, 2, 3]],
  ['group', false, [3, 1, 2]],
])('it is sorted by %s (down: %s)', (sort, down, expected) => {
  expect(ids({ sort, down })).toEqual(expected);
});

it.each([
  ['TEA', [1]],
  ['morning', [1, 2]],
  ['evenings', [3]],
  ['nothing', []],
])('it is searched for %j in titles, descriptions and groups', (q, expected) => {
  expect(ids({ q })).toEqual(expected);
});
