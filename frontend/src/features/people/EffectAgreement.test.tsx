import { render, screen, within } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { expect, it } from 'vitest';
import type { Compared } from '@/api/types';
import { EffectAgreement } from './EffectAgreement';

type Agreed = NonNullable<NonNullable<Compared['arms']>['agreement']>;

const figure = (value: number, low?: number, high?: number) => ({
  value,
  n: 17,
  low: low ?? null,
  high: high ?? null,
  note: low === undefined ? 'too few questions for an interval' : null,
});

const agreed: Agreed = {
  effects: 17,
  sameSign: 0.5,
  signAgreement: figure(0.5, 0.27, 0.73),
  shown: {
    counts: { both: 3, bothSameSign: 2, peopleOnly: 1, twinsOnly: 4, neither: 9 },
    sensitivity: { ...figure(0.75, 0.3, 0.95), n: 4 },
    falseAlarms: { ...figure(0.31, 0.13, 0.58), n: 13 },
    agreeByChance: 9.24,
  },
  peopleHoldTwins: 0.9,
  significant: { both: 3, bothSameSign: 2, peopleOnly: 1, twinsOnly: 4, neither: 9 },
  sensitivity: { ...figure(0.75, 0.3, 0.95), n: 4 },
  r: figure(0.4, 0.1, 0.7),
  slope: figure(0.3, 0.1, 0.5),
  deattenuatedR: figure(0.5, 0.2, 0.8),
  deattenuatedSlope: figure(0.45, 0.2, 0.7),
};

const show = (changed: Partial<Agreed> = {}) =>
  render(
    <MemoryRouter>
      <EffectAgreement of={{ ...agreed, ...changed }} within={false} />
    </MemoryRouter>,
  );

it('who shows an effect stands by side, with what twins find and what chance would give', () => {
  show();
  const table = within(
    screen.getByRole('table', { name: /^Who shows an effect, by the adjusted p over 17/ }),
  );
  expect(table.getByText(/3 both/)).toHaveTextContent('◉◉◉');
  expect(table.getByText(/1 people only/)).toBeVisible();
  expect(table.getByText(/4 twins only/)).toBeVisible();
  expect(table.getByText(/9 neither/)).toBeVisible();
  const words = screen.getByText(/^Sensitivity 0.75 \[0.30, 0.95\]: of the 4 effects/);
  expect(words).toHaveTextContent('that people show, twins show 3. Of the 13 that people do not show');
  expect(words).toHaveTextContent('twins show 4: 0.31 [0.13, 0.58].');
  expect(words).toHaveTextContent('would agree on about 9 of 17; these agree on 12.');
  expect(words).toHaveTextContent('1 of those that are significant on both sides has opposite signs.');
  expect(screen.getByText(/^The same sign among people and twins: 0.50 \[0.27, 0.73\] of 17/)).toBeVisible();
});

it('without an effect among people there is nothing for twins to find', () => {
  const counts = { both: 0, bothSameSign: 0, peopleOnly: 0, twinsOnly: 1, neither: 16 };
  show({ significant: counts, shown: { ...agreed.shown, counts, sensitivity: null } });
  expect(screen.getByText(/^People show no effect that twins could find\./)).toBeVisible();
});

it.each([
  { slope: figure(0.45, 0.2, 0.7), said: 'It is below 1 beyond attenuation: twins exaggerate effects.' },
  { slope: figure(1.6, 1.2, 2), said: 'It is above 1: twins understate effects.' },
  {
    slope: figure(0.8, 0.4, 1.2),
    said: 'Its interval contains 1: neither exaggeration nor understatement is shown.',
  },
  { slope: figure(-0.11), said: 'It is unclear whether twins exaggerate effects' },
  { slope: null, said: 'It is unclear whether twins exaggerate effects' },
])('exaggeration is said only where the interval leaves out 1: $slope.value', ({ slope, said }) => {
  show({ deattenuatedSlope: slope });
  expect(screen.getByText(/^Of Cohen’s d/)).toHaveTextContent(said);
});

it('a slope without an interval says why, and one that cannot be corrected, too', () => {
  show({ slope: figure(-0.11), deattenuatedSlope: null });
  expect(screen.getByText(/^Of Cohen’s d/)).toHaveTextContent(
    'twins’ −0.11 (too few questions for an interval); without the sampling errors of the twins’ cannot tell, their sampling errors explain all that differs.',
  );
});

it('fewer than three effects have no slope', () => {
  show({ r: null, slope: null });
  expect(screen.getByText('Of fewer than 3 effects there is no correlation and no slope.')).toBeVisible();
});
