import { describe, expect, it } from 'vitest';
import type { Design } from '@/api/design';
import type { Question } from '@/api/types';
import { question } from '@/testing/fixtures';
import {
  inCondition,
  inDesign,
  inQuestion,
  inText,
  problemOfRename,
  renameField,
  type Rename,
} from './rename';

const ask = (name: string, order: number, more: object = {}) =>
  ({ ...question, id: order, order, name, ...more }) as Question;
const q = (from: string, to: string): Rename => ({ kind: 'question', from, to });
const field = (from: string, to: string): Rename => ({ kind: 'field', from, to });

describe('a renamed question', () => {
  it.each([
    ['You said {{answer:fair}}.', 'You said {{answer:just}}.'],
    [
      '{{ answer : fair }} {{answer:fair.row2}} {{answer:fair#3}}',
      '{{ answer : just }} {{answer:just.row2}} {{answer:just#3}}',
    ],
    [
      '{{answer:fairness}} {{field:fair}} {{twin:fair}} answer:fair',
      '{{answer:fairness}} {{field:fair}} {{twin:fair}} answer:fair',
    ],
    ['\\{{answer:fair}} {{{answer:fair}} {{answer:fair', '\\{{answer:fair}} {{{answer:fair}} {{answer:fair'],
    ['{{answer:\nfair}} {{answer:fair}}', '{{answer:\nfair}} {{answer:just}}'],
  ])('is followed in pipes alone: %s', (before, after) => {
    expect(inText(before, q('fair', 'just'))).toBe(after);
  });

  it('is followed in conditions, however deep, and in what they compare with', () => {
    const condition = {
      any: [
        { not: { answer: 'fair', row: 2, le: 3 } },
        { all: [{ answered: 'fair' }, { answer: 'other', in: ['as {{answer:fair}}', 'fair'] }] },
        { twin: 'fair', is: 'fair' },
        { field: 'fair', contains: '{{answer:fair}}' },
      ],
    };
    expect(inCondition(condition, q('fair', 'just'))).toEqual({
      any: [
        { not: { answer: 'just', row: 2, le: 3 } },
        { all: [{ answered: 'just' }, { answer: 'other', in: ['as {{answer:just}}', 'fair'] }] },
        { twin: 'fair', is: 'fair' },
        { field: 'fair', contains: '{{answer:fair}}' },
      ],
    });
  });

  it('is followed everywhere in another question, and that stays the same one where it is not read', () => {
    const option = 'as {{answer:fair}}';
    const reader = ask('why', 2, {
      text: '{{answer:fair}}?',
      options: [{ text: option }, { text: 'b' }],
      scale_labels: [option],
      subQuestions: [option],
      minDescription: option,
      maxDescription: option,
      pin: [option],
      exclusive: [option],
      check: { expect: [option] },
      showIf: { answer: 'fair', is: 1 },
      optionIf: { [option]: { answered: 'fair' }, b: { answered: 'x' } },
    });
    const then = 'as {{answer:just}}';
    expect(inQuestion(reader, q('fair', 'just'))).toEqual({
      ...reader,
      text: '{{answer:just}}?',
      options: [{ text: then }, { text: 'b' }],
      scale_labels: [then],
      subQuestions: [then],
      minDescription: then,
      maxDescription: then,
      pin: [then],
      exclusive: [then],
      check: { expect: [then] },
      showIf: { answer: 'just', is: 1 },
      optionIf: { [then]: { answered: 'just' }, b: { answered: 'x' } },
    });
    expect(inQuestion(reader, q('other', 'just'))).toBe(reader);
  });

  it('is followed in the flow: blocks, pins, branches and fields', () => {
    const design: Design = {
      flow: [
        { block: 'b', questions: ['fair', 'x'], pin: ['fair'] },
        { if: { answer: 'fair', is: 1 }, then: [[{ set: { f: '{{answer:fair}}' } }]], else: [] },
        { loop: 't', flow: [{ block: 'c', questions: ['fair'] }] },
      ],
      tables: { t: { columns: ['a'], rows: [['{{answer:fair}}']] } },
    };
    expect(inDesign(design, q('fair', 'just'))).toEqual({
      flow: [
        { block: 'b', questions: ['just', 'x'], pin: ['just'] },
        { if: { answer: 'just', is: 1 }, then: [[{ set: { f: '{{answer:just}}' } }]], else: [] },
        { loop: 't', flow: [{ block: 'c', questions: ['just'] }] },
      ],
      // A cell is inserted as it is: it reads nothing.
      tables: design.tables,
    });
    expect(inDesign(design, q('nobody', 'just'))).toBe(design);
  });
});

const design: Design = {
  flow: [
    {
      random: 'arm',
      take: 1,
      of: [
        { arm: 'a', flow: [{ set: { fee: '1' } }] },
        { arm: 'b', flow: [{ set: { fee: '2', tip: '3' } }] },
      ],
    },
    {
      if: {
        all: [
          { field: 'arm', in: ['a', 'b'] },
          { field: 'fee', is: 'a' },
        ],
      },
      then: [],
    },
    { block: 'dv', questions: ['x'] },
    {
      if: { answer: 'x', is: 'a' },
      then: [
        { block: 'dv', questions: ['x'] },
        { block: 'other', questions: [] },
      ],
    },
  ],
  tables: {},
};

describe('a renamed arm, random node, field or block', () => {
  it('is followed by those that mean it', () => {
    const arm = JSON.stringify(inDesign(design, { kind: 'arm', of: 'arm', from: 'a', to: 'control' }));
    expect(arm).toContain('{"arm":"control"');
    expect(arm).toContain('{"field":"arm","in":["control","b"]},{"field":"fee","is":"a"}');
    expect(arm).toContain('{"answer":"x","is":"a"}');
    const random = JSON.stringify(inDesign(design, field('arm', 'price')));
    expect(random).toContain('"random":"price"');
    expect(random).toContain('{"field":"price","in":["a","b"]}');
    const fee = JSON.stringify(inDesign(design, field('fee', 'cost')));
    expect(fee.match(/"cost":"[12]"/g)).toHaveLength(2);
    expect(fee).toContain('{"field":"cost","is":"a"}');
    const block = inDesign(design, { kind: 'block', questions: ['x'], from: 'dv', to: 'main' });
    expect(JSON.stringify(block).match(/"block":"main"/g)).toHaveLength(2);
  });

  it('is refused with the place of what has the name', () => {
    const problem = (rename: Rename) => problemOfRename(rename, design, [ask('x', 1), ask('y', 2)]);
    expect(problem(q('x', 'Y'))).toBe('Question 2 is called “y” already');
    expect(problem(q('x', 'X'))).toBeNull();
    expect(problem(q('x', '2x'))).toMatch(/^A name begins with a letter/);
    expect(problem(field('arm', 'fee'))).toBe('Random arm, arm a › Set sets “fee” already');
    expect(problem(field('fee', 'arm'))).toBe('Random arm is called “arm” already');
    expect(problem({ kind: 'arm', of: 'arm', from: 'a', to: 'b' })).toBe(
      'Another arm of Random arm is called “b” already',
    );
    expect(problem({ kind: 'arm', of: 'arm', from: 'a', to: 'a#1' })).toMatch(/no # among them$/);
    expect(problem({ kind: 'block', questions: ['x'], from: 'dv', to: 'other' })).toBe(
      'If › Block other is called “other” already',
    );
    expect(problem({ kind: 'block', questions: ['x'], from: 'dv', to: 'new one' })).toBeNull();
  });

  it('that nothing reads and nothing else sets becomes a field that is set elsewhere', () => {
    const at = '/flow/0/of/1/flow/0';
    const of = (from: string, to: string, text = '') =>
      renameField(
        { ...design, flow: [...design.flow, { set: { other: '' } }] },
        [ask('x', 1, { text })],
        at,
        from,
        to,
      );
    const alone = of('tip', 'other');
    expect('design' in alone && JSON.stringify(alone.design)).toContain('{"fee":"2","other":"3"}');
    expect(of('tip', 'other', '{{field:tip}}')).toEqual({
      problem: 'Set sets “other” already, and the survey reads “tip”',
    });
    expect(of('tip', 'fee')).toEqual({ problem: 'Random arm, arm a › Set sets “fee” already' });
    expect(of('fee', 'new')).toEqual({ rename: field('fee', 'new') });
  });
});
