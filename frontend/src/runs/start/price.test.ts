import { expect, it } from 'vitest';
import { costText, expectedCost } from './price';

const prices = { priced: { currency: 'USD', prompt: 400_000, cached: 100_000, completion: 1_600_000 } };
const config = { prices, tokensPerProfile: 4000, tokensPerQuestion: 90 };

it('one call a twin caches nothing: the range is that of the answers and of repeated calls', () => {
  // 100 twins: 400,000 tokens of profiles, 120,000 of 2,000 questions, 60,000 of answers.
  const cost = expectedCost(config, 'priced', { personas: 100, questions: 20, calls: 100 });
  expect(cost?.low).toBeCloseTo(0.52 * 0.4 + 0.03 * 1.6, 10);
  expect(cost?.high).toBeCloseTo((0.52 * 0.4 + 0.06 * 1.6) * 1.1, 10);
  expect(cost?.currency).toBe('USD');
});

it('profiles of further calls of a twin may be cached', () => {
  const cost = expectedCost(config, 'priced', { personas: 100, questions: 20, calls: 500 });
  expect(cost?.low).toBeCloseTo(0.52 * 0.4 + 1.6 * 0.1 + 0.03 * 1.6, 10);
  expect(cost?.high).toBeCloseTo((2.12 * 0.4 + 0.06 * 1.6) * 1.1, 10);
});

it('nothing is said of a model without a price', () => {
  expect(expectedCost(config, 'other', { personas: 1, questions: 1, calls: 1 })).toBeNull();
});

it('a range whose ends read alike is shown as one figure', () => {
  expect(costText({ low: 0.861, high: 1.158, currency: 'USD' })).toBe('$0.86 to $1.16');
  expect(costText({ low: 2, high: 2.001, currency: 'EUR' })).toBe('€2.00');
  expect(costText({ low: 0.0004, high: 0.0012, currency: 'credits' })).toBe(
    'credits 0.0004 to credits 0.0012',
  );
});
