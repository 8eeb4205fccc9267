import { describe, expect, it } from 'vitest';
import type { Design } from '@/api/design';
import { insert, lookUp, move, moveQuestion, nudge, remove, targets } from './tree';

const block = (name: string, ...questions: string[]) => ({ block: name, questions });
const design: Design = {
  flow: [
    block('a', 'q1', 'q2'),
    {
      random: 'r',
      take: 1,
      of: [
        { arm: 'x', flow: [block('b', 'q3')] },
        { arm: 'y', flow: [] },
      ],
    },
    { if: { answer: 'q1', is: 'Yes' }, then: [{ end: 'complete' }] },
    [block('c')],
  ],
  tables: {},
};

describe('a change of the tree', () => {
  it.each([
    ['/flow/0', '/flow', 2, '/flow/1'],
    ['/flow/3', '/flow', 0, '/flow/0'],
    ['/flow/0', '/flow/1/of/1/flow', 0, '/flow/0/of/1/flow/0'],
    ['/flow/1/of/0/flow/0', '/flow', 0, '/flow/0'],
    ['/flow/1/of/0/flow/0', '/flow/2/else', 0, '/flow/2/else/0'],
    ['/flow/0', '/flow/3', 1, '/flow/2/1'],
    ['/flow/3/0', '/flow/1/of/0/flow', 1, '/flow/1/of/0/flow/1'],
  ])('moves %s to place %3$s of %s and finds it there', (from, list, index, at) => {
    const moved = move(design, from, list, index);
    expect(moved.at).toBe(at);
    expect(lookUp(moved.design, at)).toEqual(lookUp(design, from));
    const names = (one: Design) => JSON.stringify(one).match(/"(block|random|if|end)":/g)?.length;
    expect(names(moved.design)).toBe(names(design));
  });

  it('moves a node by one place, and not beyond the ends', () => {
    expect(nudge(design, '/flow/0', -1)).toBeNull();
    expect(nudge(design, '/flow/3', 1)).toBeNull();
    expect(nudge(design, '/flow/0', 1)?.at).toBe('/flow/1');
    expect(nudge(design, '/flow/2', -1)?.design.flow.map((node) => Object.keys(node)[0])).toEqual([
      'block',
      'if',
      'random',
      '0',
    ]);
  });

  it('offers no list inside the node itself', () => {
    expect(targets(design, '/flow/1').map(({ list }) => list)).toEqual([
      '/flow/2/then',
      '/flow/2/else',
      '/flow/3',
    ]);
  });

  it('makes an else with its first node and takes it away with its last', () => {
    const more = insert(design, '/flow/2/else', 0, { end: 'screened_out' });
    expect(lookUp(more, '/flow/2/else')).toEqual([{ end: 'screened_out' }]);
    expect(remove(more, '/flow/2/else/0')).toEqual(design);
  });

  it('moves a question within its block and to another one, without its pin', () => {
    const pinned: Design = { ...design, flow: [{ ...block('a', 'q1', 'q2'), pin: ['q1'] }, block('d')] };
    expect(moveQuestion(pinned, 'q1', '/flow/0', '/flow/0', 2).flow[0]).toEqual({
      block: 'a',
      questions: ['q2', 'q1'],
      pin: ['q1'],
    });
    expect(moveQuestion(pinned, 'q1', '/flow/0', '/flow/1', 0).flow).toEqual([
      block('a', 'q2'),
      block('d', 'q1'),
    ]);
  });
});
