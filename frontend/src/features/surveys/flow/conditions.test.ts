import { describe, expect, it } from 'vitest';
import type { Condition } from '@/api/design';
import { comparisonOf, conditionOf, groupOf, inWords, leftOf, testOf, valueOf } from './conditions';

const leaf = { answer: 'Q3', is: 'Yes' };
const other = { twin: 'Age', ge: 50 };

describe('a condition', () => {
  it.each<Condition>([
    leaf,
    { all: [] },
    { all: [leaf, other] },
    { any: [leaf] },
    { any: [leaf, { all: [other, leaf] }] },
    { not: leaf },
    { not: { all: [leaf, other] } },
    { not: { any: [leaf, other] } },
    { all: [leaf, { not: other }] },
  ])('comes back from its editor as it was: %j', (condition) => {
    const edited = conditionOf(groupOf(condition));
    // A negated comparison is a group of one.
    expect(JSON.stringify(edited)).toBe(JSON.stringify(condition));
  });

  it.each([
    [leaf],
    [{ answer: 'Q5', row: 2, in: ['a', 'b'] }],
    [{ answered: 'Q5' }],
    [{ field: 'fee_arm', is_not: 'control' }],
    [{ twin: 'Home:town#1', contains: 'x' }],
  ])('has three parts: %j', (comparison) => {
    expect(comparisonOf(leftOf(comparison), testOf(comparison), valueOf(comparison) ?? '')).toEqual(
      comparison,
    );
  });

  it('is read in words', () => {
    expect(inWords({ all: [{ answer: 'ok', is: false }, { any: [leaf, other] }] })).toBe(
      'ok is No and (Q3 is Yes or Age is at least 50)',
    );
    expect(inWords({ not: { answered: 'ok' } })).toBe('not: ok was answered');
  });
});
