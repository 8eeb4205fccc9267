import { describe, expect, it } from 'vitest';
import { count, dateAndTime, dollars, duration, relativeDate, timeOfDay, timeWithSeconds } from './format';

describe('figures', () => {
  it('are rounded, with thousands separated', () => {
    expect(count('1234.6')).toBe('1,235');
  });

  it('show whole dollars, the minus first', () => {
    expect([dollars('1500'), dollars(-20.4)]).toEqual(['$1,500', '-$20']);
  });

  it('tell durations in the two largest units', () => {
    expect([59.6, 200, 7500].map(duration)).toEqual(['1 min', '3 min 20 s', '2 h 5 min']);
  });
});

describe('relative dates', () => {
  const now = Date.parse('2026-03-10T12:00:00Z');
  it.each([
    ['2026-03-10T11:59:01Z', 'Just now'],
    ['2026-03-10T11:59:00Z', '1 min ago'],
    ['2026-03-10T11:00:00Z', '1 hours ago'],
    ['2026-03-09T13:00:00Z', '23 hours ago'],
    ['2026-03-08T12:00:00Z', '2 days ago'],
    ['2026-03-03T12:00:00Z', 'Mar 3, 2026'],
  ])('%s is %s', (iso, text) => {
    expect(relativeDate(iso, now)).toBe(text);
  });
});

it('shows times of 24 hours wherever there is one', () => {
  const nearMidnight = '2026-03-10T23:58:07';
  expect([dateAndTime, timeOfDay, timeWithSeconds].map((show) => show(nearMidnight))).toEqual([
    'Mar 10, 2026, 23:58',
    '23:58',
    '23:58:07',
  ]);
});
