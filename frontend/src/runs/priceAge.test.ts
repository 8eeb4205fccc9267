import { expect, test } from 'vitest';
import { priceAge } from './priceAge';

test('a price says of which day it is, how old it is, and that an old one may have changed', () => {
  expect(priceAge('2026-11-28', '2026-11-28T12:00')).toBe('prices of Nov 28, 2026');
  expect(priceAge('2026-11-28', '2026-11-29T12:00')).toBe('prices of Nov 28, 2026, a day old');
  expect(priceAge('2026-01-01', '2026-04-01T12:00')).toBe('prices of Jan 1, 2026, 90 days old');
  expect(priceAge('2026-01-01', '2026-04-02T12:00')).toBe(
    'prices of Jan 1, 2026, 91 days old, may have changed since',
  );
  expect(priceAge(undefined)).toBeNull();
});
