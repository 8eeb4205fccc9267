import { describe, expect, it } from 'vitest';
import type { Design } from '@/api/design';
import { question } from '@/testing/fixtures';
import { asFlow, problemOf, withArms, withScreening } from './arms';
import { sharesOf, twinsInWords } from './shares';

const plain: Design = { flow: [], tables: {} };
const questions = ['ok', 'fair', 'why'].map((name, index) => ({ ...question, id: index, name }));
const arm = (name: string, text = '', weight = 1) => ({ name, weight, text });

describe('the arms that the wizard makes', () => {
  it('set a text before the block', () => {
    const made = withArms(asFlow(plain, questions), '/flow/0', {
      name: 'fee_arm',
      arms: [arm('resort', 'a resort fee'), arm('service', 'a service fee', 2)],
      field: 'fee',
      of: {},
    });
    expect(made).toEqual({
      at: '/flow/0',
      design: {
        tables: {},
        flow: [
          {
            random: 'fee_arm',
            take: 1,
            of: [
              { arm: 'resort', flow: [{ set: { fee: 'a resort fee' } }] },
              { arm: 'service', weight: 2, flow: [{ set: { fee: 'a service fee' } }] },
            ],
          },
          { block: 'main', questions: ['ok', 'fair', 'why'] },
        ],
      },
    });
  });

  it('take their questions out of the block, and its place where none is left', () => {
    const arms = { name: 'side', arms: [arm('a'), arm('b')], field: null };
    const some = withArms(asFlow(plain, questions), '/flow/0', { ...arms, of: { fair: 0, why: 1 } });
    expect(some.design.flow).toEqual([
      {
        random: 'side',
        take: 1,
        of: [
          { arm: 'a', flow: [{ block: 'a', questions: ['fair'] }] },
          { arm: 'b', flow: [{ block: 'b', questions: ['why'] }] },
        ],
      },
      { block: 'main', questions: ['ok'] },
    ]);
    const all = withArms(asFlow(plain, questions), '/flow/0', { ...arms, of: { ok: 0, fair: 0, why: 1 } });
    expect(all.design.flow).toHaveLength(1);
  });

  it.each([
    [{ name: '1st' }, 'The name begins with a letter'],
    [{ name: 'Main' }, '“Main” is the name of something else in this survey'],
    [{ field: 'side' }, 'The field needs another name than the arms'],
    [{ arms: [arm('a'), arm('a')] }, 'Two arms are called “a”'],
    [{ arms: [arm('a')] }, 'At least two arms'],
  ])('%j is refused', (part, problem) => {
    const arms = { name: 'side', arms: [arm('a'), arm('b')], field: 'text', of: {}, ...part };
    expect(problemOf(arms, new Set(['main']))).toContain(problem);
  });
});

it('screening ends for who answers the first choice with its last option', () => {
  expect(withScreening(plain, questions).flow).toEqual([
    { block: 'screen', questions: ['ok'] },
    { if: { answer: 'ok', is: 'Tea' }, then: [{ end: 'screened_out' }] },
    { block: 'main', questions: ['fair', 'why'] },
  ]);
});

it('twins are counted by weight', () => {
  const of = [
    { arm: 'a', flow: [] },
    { arm: 'b', weight: 2, flow: [] },
  ];
  expect(sharesOf({ random: 'r', take: 1, of }).map((share) => twinsInWords(100 * share))).toEqual([
    '33 or 34 twins',
    '66 or 67 twins',
  ]);
  expect(sharesOf({ random: 'r', of })).toEqual([1, 1]);
  expect(twinsInWords(1200 * 0.25)).toBe('300 twins');
});
