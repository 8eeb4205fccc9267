import { describe, expect, it } from 'vitest';
import { parse, written } from './json';
import { tableOf } from './tables';

const flow = (node: unknown) => JSON.stringify({ flow: [node] });

describe('a design as text', () => {
  it('is read with every kind of node and written as it was', () => {
    const design = {
      flow: [
        { block: 'a', questions: ['q'], order: 'latin', pin: ['q'] },
        { random: 'r', take: 1, strata: ['Gender'], of: [{ arm: 'x', weight: 2, flow: [[]] }] },
        {
          if: { any: [{ answer: 'q', row: 1, in: [1, 'x'] }, { not: { answered: 'q' } }] },
          then: [],
          else: [],
        },
        { set: { fee: 'x' } },
        { loop: 't', take: 2, flow: [] },
        { end: 'screened_out' },
      ],
      tables: { t: { columns: ['a'], rows: [['1']] } },
    };
    const parsed = parse(JSON.stringify(design));
    expect('design' in parsed && JSON.parse(written(parsed.design))).toEqual(design);
  });

  it.each([
    ['{"flow": [}', 'No JSON: '],
    ['[]', 'At the top: the design is an object'],
    [flow({ block: 'a' }), '/flow/0: a block needs “questions”'],
    [flow({ block: 3, questions: [] }), '/flow/0/block: is a text in quotes'],
    [flow({ end: 'done' }), '/flow/0/end: is one of complete, screened_out'],
    [flow({ random: 'r', of: [{ arm: 'a' }] }), '/flow/0/of/0: an arm needs “flow”'],
    [flow({ set: { a: 'b' }, take: 1 }), '/flow/0/take: does not belong to a set'],
    [flow({ ask: 'x' }), '/flow/0: A node has one of block'],
    [flow({ if: { answer: 'q', is: 1, has: 2 }, then: [] }), '/flow/0/if: A comparison has one of'],
    [flow({ if: { all: [{ answer: 'q', like: 1 }] }, then: [] }), '/flow/0/if/all/0/like: does not belong'],
  ])('%s is refused with its place', (text, problem) => {
    const parsed = parse(text);
    expect('problem' in parsed && parsed.problem).toContain(problem);
  });
});

describe('a pasted table', () => {
  it.each(['id,text\n1,"A, or b"\n2,C', 'id\ttext\n1\tA, or b\n2\tC\n'])('is read: %j', (text) => {
    expect(tableOf(text)).toEqual({
      table: {
        columns: ['id', 'text'],
        rows: [
          ['1', 'A, or b'],
          ['2', 'C'],
        ],
      },
    });
  });

  it.each([
    ['id,text', 'The first line names the columns'],
    ['id,my text\n1,2', '“my text” is no name of a column'],
    ['id,id\n1,2', 'Two columns are called “id”'],
    ['id,text\n1,2\n3', 'Row 2 has 1 cells'],
  ])('%j is refused', (text, problem) => {
    const pasted = tableOf(text);
    expect('problem' in pasted && pasted.problem).toContain(problem);
  });
});
