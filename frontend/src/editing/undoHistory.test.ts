import { expect, it } from 'vitest';
import { emptyHistory, recordStep, takeStep, type UndoHistory } from './undoHistory';

type Step = [before: string, after: string];

const join = ([before]: Step, [, after]: Step): Step => [before, after];
const record = (history: UndoHistory<Step>, step: Step, key: string, at: number) =>
  recordStep(history, step, { key, join, at });

it('changes of one thing, soon after each other, are one step; others are steps of their own', () => {
  let history = record(emptyHistory(), ['', 'a'], 'text', 0);
  history = record(history, ['a', 'ab'], 'text', 900);
  history = record(history, ['ab', 'abc'], 'text', 2000);
  history = record(history, ['abc', 'x'], '', 2100);
  history = record(history, ['x', 'y'], '', 2200);
  expect(history.past).toEqual([
    ['', 'ab'],
    ['ab', 'abc'],
    ['abc', 'x'],
    ['x', 'y'],
  ]);
});

it('a step that was taken back can be done again, until something else is changed, and joins nothing', () => {
  const written = record(record(emptyHistory(), ['', 'a'], 'text', 0), ['a', 'b'], '', 10);
  const back = takeStep(written, true);
  expect(back?.step).toEqual(['a', 'b']);
  const again = back && takeStep(back.history, false);
  expect(again?.step).toEqual(['a', 'b']);
  expect(back && takeStep(back.history, true)?.step).toEqual(['', 'a']);
  const changed = back && record(back.history, ['a', 'c'], 'text', 20);
  expect(changed?.past).toHaveLength(2);
  expect(changed && takeStep(changed, false)).toBeNull();
});
