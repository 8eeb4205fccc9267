import { render, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { pass, stopClock } from '@/testing/clock';
import { Benefits } from './Benefits';

const current = () => screen.getByRole('button', { current: true });

const openWith = (reduced: boolean) => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) => ({ matches: reduced && query.includes('reduced-motion') }) as MediaQueryList,
  );
  render(<Benefits />);
};

beforeEach(stopClock);

it('the slides take turns', async () => {
  openWith(false);
  expect(screen.getByRole('button', { name: 'Pause' })).toBeVisible();
  await pass(5);
  expect(current()).toHaveAccessibleName(/^Slide 2/);
});

it('they stand still for who wants nothing to move, until they are asked to play', async () => {
  openWith(true);
  await pass(20);
  expect(current()).toHaveAccessibleName(/^Slide 1/);
  screen.getByRole('button', { name: 'Play' }).click();
  await pass(5);
  expect(current()).toHaveAccessibleName(/^Slide 2/);
});
