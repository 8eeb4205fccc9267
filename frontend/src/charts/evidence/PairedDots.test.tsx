import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { PairedDots, type Pair } from './PairedDots';

const pair = (changed: Partial<Pair>): Pair => ({
  key: 'fee',
  name: 'fee against control',
  people: { value: 0.3, low: 0.1, high: 0.5 },
  twins: { value: -0.2, low: -0.4, high: 0 },
  isShown: false,
  ...changed,
});

const draw = (pairs: Pair[], width = 800) =>
  render(
    <PairedDots
      blocks={[{ key: 'fair', heading: 'fair', pairs }]}
      ends={[-1, 1]}
      width={width}
      label="Effects"
    />,
  );

it.each([800, 350])('people are rings above the dots of twins, on one axis, in %i pixels', (width) => {
  const { container } = draw([pair({})], width);
  // The first two marks are the legend's.
  const [people, twins] = [...container.querySelectorAll('circle')].slice(2);
  const at = (mark: Element | undefined, name: string) => Number(mark?.getAttribute(name));
  expect(people).toHaveAttribute('fill', 'var(--surface)');
  expect(twins).toHaveAttribute('fill', 'var(--chart-answer)');
  expect(at(people, 'cy')).toBeLessThan(at(twins, 'cy'));
  expect(at(people, 'cx')).toBeGreaterThan(at(twins, 'cx'));
  expect(at(people, 'cx')).toBeLessThan(width);
  expect(screen.getByRole('img', { name: 'Effects' })).toHaveTextContent(
    'fee against control: people 0.30 [0.10, 0.50], twins −0.20 [−0.40, 0.00]',
  );
});

it('an effect that people show stands on grey, and one that is not compared says why', () => {
  const { container } = draw([
    pair({ isShown: true }),
    pair({ key: 'price', name: 'price', people: null, twins: null, reason: 'twins were not asked' }),
  ]);
  expect(container.querySelectorAll('rect')).toHaveLength(1);
  expect(screen.getByText('twins were not asked')).toBeVisible();
});
