import { expect, test } from 'vitest';
import type { Simulation } from '@/api/types';
import { cellName, differing, isStudy, SINGLE_RUN, studyToSend } from './cells';

const parameters: Simulation['parameters'] = {
  model: 'm-1',
  seed: 1,
  questionsPerCall: 20,
  personaVariant: 'summary',
  shuffleOptions: false,
};
const run = (changed: Partial<Simulation['parameters']>) => ({ parameters: { ...parameters, ...changed } });

test('a run is named by what sets it apart, and by nothing else', () => {
  const runs = [
    run({ cell: {} }),
    run({ personaVariant: 'empty', cell: { repeat: 1 } }),
    run({ personaVariant: 'empty', cell: { repeat: 1, arms: { a: 'x', b: 'y' }, optionOrder: 'reversed' } }),
  ];
  expect(differing(runs).map(([name]) => name)).toEqual(['Profile text', 'Arms', 'Options', 'Repeat']);
  expect(runs.map((each) => cellName(each, runs))).toEqual([
    'Summary · dealt · options as written · repeat 1',
    'Empty · dealt · options as written · repeat 2',
    'Empty · x, y · options reversed · repeat 2',
  ]);
  const two = runs.slice(0, 2);
  expect(two.map((each) => cellName(each, two))).toEqual(['Summary · repeat 1', 'Empty · repeat 2']);
  expect(two.map((each) => cellName(each, two, false))).toEqual(['Summary', 'Empty']);
  expect(two.map((each) => cellName(each, [each]))).toEqual(['Single run', 'Single run']);
});

test('a study is what takes more than one run, and its call names what is varied', () => {
  expect(isStudy(SINGLE_RUN)).toBe(false);
  expect(isStudy({ ...SINGLE_RUN, variants: ['empty'], models: ['m-1'] })).toBe(false);
  for (const more of [{ repeats: 2 }, { reversed: true }, { everyArm: true }, { models: ['a', 'b'] }])
    expect(isStudy({ ...SINGLE_RUN, ...more })).toBe(true);
  expect(studyToSend(SINGLE_RUN)).toEqual({ repeats: 1 });
  expect(
    studyToSend({
      variants: ['empty'],
      models: ['b'],
      efforts: ['low', 'high'],
      repeats: 3,
      reversed: true,
      everyArm: true,
    }),
  ).toEqual({
    arms: 'all',
    variants: ['empty'],
    models: ['b'],
    reasoningEfforts: ['low', 'high'],
    repeats: 3,
    orders: ['as_written', 'reversed'],
  });
});
