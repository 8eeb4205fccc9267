import { expect, it } from 'vitest';
import { withTexts } from './logic';

it('rows that are reversed stay so under another text, and are forgotten with their row', () => {
  const logic = { reverseRows: ['tense', 'rude'], desirable: true };
  expect(withTexts(logic, ['calm', 'tense', 'rude'], ['calm', 'nervous', 'rude'])).toEqual({
    reverseRows: ['nervous', 'rude'],
    desirable: true,
  });
  expect(withTexts(logic, ['calm', 'tense', 'rude'], ['calm', 'rude'])).toEqual({
    reverseRows: ['rude'],
    desirable: true,
  });
  expect(withTexts(logic, ['tense', 'rude'], ['calm'])).toEqual({ desirable: true });
});
