import { expect, it } from 'vitest';
import { armsOf } from './design';

const block = { block: 'b', questions: ['q'] };
const deals = (random: string, take?: number) => ({
  random,
  ...(take !== undefined && { take }),
  of: ['x', 'y'].map((arm) => ({ arm, flow: [block] })),
});

it('a flow has the arms of the nodes that deal one of several, however deep', () => {
  expect(armsOf([block, deals('all'), deals('two', 2)])).toEqual([]);
  expect(armsOf([deals('fee', 1)])).toEqual([['fee', ['x', 'y']]]);
  const within = { if: { twin: 'Age', is: '1' }, then: [block], else: [deals('a', 1)] };
  expect(armsOf([[within], { loop: 'l', flow: [deals('b', 1)] }])).toEqual([
    ['a', ['x', 'y']],
    ['b', ['x', 'y']],
  ]);
  expect(armsOf([{ ...deals('all', 2), of: [{ arm: 'x', flow: [deals('c', 1)] }] }])).toEqual([
    ['c', ['x', 'y']],
  ]);
});
