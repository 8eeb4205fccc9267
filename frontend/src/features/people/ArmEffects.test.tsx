import { screen, within } from '@testing-library/react';
import { App } from 'antd';
import { MemoryRouter } from 'react-router';
import { expect, it } from 'vitest';
import { render } from '@testing-library/react';
import type { Compared } from '@/api/types';
import { compared } from '@/testing/people';
import { ArmEffects } from './ArmEffects';
import { effectsFound } from './effects';

type Arms = NonNullable<Compared['arms']>;

const arms = compared.arms as Arms;
const [effect] = arms.effects as [Arms['effects'][number]];

const show = (changed: Partial<Arms>) =>
  render(
    <MemoryRouter>
      <App>
        <ArmEffects of={{ ...arms, ...changed }} />
      </App>
    </MemoryRouter>,
  );

it('a contrast has its reference, d, adjusted p and who shows it', () => {
  show({ effects: [{ ...effect, madeOf: ['fair_1', 'fair_2'] }] });
  const row = screen.getByRole('row', { name: /fee against control/ });
  expect(row).toHaveTextContent('one outcome of 2 questions');
  expect(row).toHaveTextContent('+0.40[+0.10, +0.70]d .30, q .010');
  expect(row).toHaveTextContent('People only');
  expect(
    screen.getByRole('heading', {
      name: 'Twins find the sign of 0 of 1 effect, and show 0 of the 1 that people show.',
    }),
  ).toBeVisible();
});

it('what was asked before the arms stands apart, with what chance gives', () => {
  const checks = ['age', 'gender', 'income'].map((item, place) => ({
    ...effect,
    item,
    people: { ...effect.people, p: place === 0 ? 0.01 : 0.4 },
  }));
  show({ balance: checks });
  const balance = within(screen.getByRole('region', { name: 'Balance of the arms' }));
  expect(balance.getByText(/^Asked before the arms were dealt/)).toHaveTextContent(
    'Of 3 checks, 1 has p below .05 among people; chance alone gives about .2',
  );
  expect(balance.getByRole('row', { name: /^age/ })).toHaveTextContent('p .010');
  const effects = screen
    .getAllByRole('table')
    .find((table) => within(table).queryByText('Shown by') !== null);
  expect(within(effects as HTMLElement).queryByText('age')).toBeNull();
});

it('what is not compared says why, and covariates are named', () => {
  const missing = {
    item: 'price',
    category: null,
    arm: 'fee',
    reference: 'control',
    people: null,
    twins: null,
  };
  show({
    notCompared: [{ ...missing, reason: 'twins of these arms were not asked' }],
    covariates: ['age'],
    unusedCovariates: [{ name: 'mood', reason: 'it has several answers' }],
    effects: [{ ...effect, peopleAdjusted: { ...effect.people, difference: 0.35 }, twinsAdjusted: null }],
  });
  expect(screen.getByText(/^Not compared, because twins of these arms were not asked/)).toHaveTextContent(
    'price · fee against control',
  );
  expect(screen.getByText(/^Effects are also adjusted for age by regression/)).toBeVisible();
  expect(screen.getByText('Not adjusted for mood: it has several answers.')).toBeVisible();
  expect(screen.getByRole('row', { name: /fee against control/ })).toHaveTextContent('+0.35[+0.10, +0.70]–');
});

it('without an effect among people the sentence says so', () => {
  const agreement = arms.agreement as NonNullable<Arms['agreement']>;
  const counts = { both: 0, bothSameSign: 0, peopleOnly: 0, twinsOnly: 1, neither: 16 };
  expect(
    effectsFound({ ...agreement, effects: 17, sameSign: 14 / 17, shown: { ...agreement.shown, counts } }),
  ).toBe('Twins find the sign of 14 of 17 effects; people show none beyond chance.');
});
