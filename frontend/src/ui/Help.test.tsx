import { render, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { Help } from './Help';
import { newUser } from '@/testing/render';

it('a term is explained from the keyboard, and Escape closes nothing else', async () => {
  const around = vi.fn();
  const user = newUser();
  render(
    <div onKeyDown={around}>
      <Help term="seed" />
    </div>,
  );
  const mark = screen.getByRole('button', { name: 'What is a seed?' });
  mark.focus();
  await user.keyboard('{Enter}');
  const text = await screen.findByText(/With the same seed, the same twins are drawn/);
  await waitFor(() => expect(text).toBeVisible());
  around.mockClear();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(mark).toHaveAttribute('aria-expanded', 'false'));
  expect(around).not.toHaveBeenCalled();
});
