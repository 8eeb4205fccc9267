import { expect, it } from 'vitest';
import { price } from '@/testing/fixtures';
import { costText, timeText } from './priceTexts';

type Time = NonNullable<typeof price.estimate.time>;
const text = (time: Time | null, warnings: typeof price.warnings = []) =>
  timeText({ estimate: { ...price.estimate, time }, warnings });

it('a time is shown as a range, no more precise than it is known', () => {
  const source = 'earlier_runs' as const;
  expect(text({ lowSeconds: 41.3, highSeconds: 81, source })).toBe('40 s to 1 min 30 s');
  expect(text({ lowSeconds: 0.2, highSeconds: 0.4, source })).toBe('1 s');
  expect(text({ lowSeconds: 12, highSeconds: null, source: 'limits' })).toBe('12 s or more');
  expect(text({ lowSeconds: 0, highSeconds: 86_400, source: 'batch' })).toBe('within a day');
});

it('a time that nothing is known of is up to the model server, and short for the demo model', () => {
  expect(text(null)).toBe('up to the model server');
  expect(text(null, [{ code: 'demo_model', message: '', detail: null }])).toBe('under a minute');
});

it('a range whose ends read alike is shown as one figure', () => {
  const range = (low: string, expected: string, high: string, currency: string) =>
    costText({
      low: { amount: low, currency },
      expected: { amount: expected, currency },
      high: { amount: high, currency },
    });
  expect(range('0.861000', '1.012000', '1.158000', 'USD')).toBe('$1.01 ($0.86 to $1.16)');
  expect(range('2.000000', '2.000500', '2.001000', 'EUR')).toBe('€2.00');
  expect(range('0.000400', '0.0008', '0.001200', 'credits')).toBe(
    'credits 0.0008 (credits 0.0004 to credits 0.0012)',
  );
});
