import { expect, it } from 'vitest';
import { retryRefused } from './useRunActions';

it('a retry that fails without a word has a reason all the same', () => {
  expect(retryRefused(new Error(''))).toBe('Failed to retry failed requests: Unknown error occurred');
});
