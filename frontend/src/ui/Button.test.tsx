import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Button } from './Button';

it('a button that works on something cannot be pressed and says what it does', () => {
  render(<Button loading>Save</Button>);
  expect(screen.getByRole('button', { name: 'Loading...' })).toBeDisabled();
});

it.each(['success', 'error'] as const)('a button shows %s only when it is done', (outcome) => {
  const { rerender } = render(
    <Button loading outcome={outcome}>
      Save
    </Button>,
  );
  expect(screen.getByRole('button')).not.toHaveClass(`button-ended-${outcome}`);
  rerender(<Button outcome={outcome}>Save</Button>);
  expect(screen.getByRole('button', { name: 'Save' })).toHaveClass(`button-ended-${outcome}`);
});
