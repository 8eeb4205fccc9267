import { expect, it } from 'vitest';
import { isAgreement, isOrdered } from './degrees';

const agreement = (scale: string | null, ...labels: string[]) =>
  isAgreement({ questionType: 'SINGLE_CHOICE', scale }, labels);

it('a stated scale decides whether options are degrees, in any language', () => {
  expect(agreement('ordinal', 'Trifft nicht zu', 'Teils', 'Trifft zu')).toBe(true);
  expect(agreement('nominal', 'Very good', 'Good', 'Very bad')).toBe(false);
  expect(isOrdered(['Nie', 'Manchmal', 'Immer'], 'ordinal')).toBe(true);
  expect(isOrdered(['Bus 1', 'Bus 2', 'Bus 3'], 'nominal')).toBe(false);
  expect(agreement('ordinal', 'Ja', 'Nein')).toBe(false);
});

it('without a stated scale the words decide, and equally for charts and the wall', () => {
  expect(agreement(null, 'Strongly disagree', 'Disagree', 'Neutral', 'Agree', 'Strongly agree')).toBe(true);
  expect(agreement(null, 'Disagree', 'Neutral', 'Agree')).toBe(true);
  expect(agreement(null, 'Very unlikely', 'Unlikely', 'Likely', 'Very likely')).toBe(true);
  expect(agreement(null, 'Very often', 'Never', 'By car')).toBe(false);
  expect(agreement(null, 'Yes', 'No', 'Yes')).toBe(false);
  expect(isOrdered(['18-29', '30-49', '50-64', '65+'])).toBe(true);
  expect(isOrdered(['Male', 'Female'])).toBe(false);
  expect(isOrdered(['Roman Catholic', 'Protestant', 'Jewish'])).toBe(false);
});

it('the labels of a matrix are degrees unless it is stated that they are none; other types have none', () => {
  expect(isAgreement({ questionType: 'MATRIX' }, ['Nie', 'Immer'])).toBe(true);
  expect(isAgreement({ questionType: 'MATRIX', scale: 'nominal' }, ['Bus', 'Auto', 'Rad'])).toBe(false);
  expect(isAgreement({ questionType: 'MULTIPLE_CHOICE' }, ['Very bad', 'Bad', 'Very good'])).toBe(false);
});
