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

it('significance is shown by side, with the share of people’s effects that twins find', () => {
  show();
  const table = within(screen.getByRole('table', { name: 'Effects that are significant at 5 %' }));
  const cells = table.getAllByRole('row').slice(1);
  expect(cells.map(({ textContent }) => textContent)).toEqual(['People: yes31', 'People: no49']);
  expect(screen.getByText(/^Sensitivity 0.75 \[0.30, 0.95\]: of the 4 effects/)).toHaveTextContent(
    'twins find 3. 1 of those that are significant on both sides has opposite signs.',
  );
});

it('without an effect among people there is nothing for twins to find', () => {
  const significant = { both: 0, bothSameSign: 0, peopleOnly: 0, twinsOnly: 1, neither: 16 };
  show({ significant, sensitivity: null });
  expect(screen.getByText('People have no significant effect that twins could find.')).toBeVisible();
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
