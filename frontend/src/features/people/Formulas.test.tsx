import { render, screen, within } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { expect, it } from 'vitest';
import { Formulas } from './Formulas';

it('an outcome has its formula, range and the reliability of its scale on both sides', () => {
  render(
    <MemoryRouter>
      <Formulas
        of={[
          {
            name: 'trust',
            formula: 'mean(honest, reverse(greedy), fair)',
            low: 1,
            high: 7,
            people: { n: 120, alpha: 0.84, omega: 0.852 },
            twins: { n: 100, alpha: 0.7, omega: null },
          },
          { name: 'gap', formula: 'paid - worth', low: null, high: null, people: null, twins: null },
        ]}
      />
    </MemoryRouter>,
  );
  const outcomes = within(screen.getByRole('region', { name: 'Outcomes of several questions' }));
  const [trust, gap] = outcomes.getAllByRole('listitem');
  expect(trust).toHaveTextContent(
    'trust = mean(honest, reverse(greedy), fair), 1 to 7; people α .84, ω .85 of 120; twins α .70 of 100',
  );
  expect(gap?.textContent).toBe('gap = paid - worth');
});
