import { render, screen } from '@testing-library/react';
import { Select } from 'antd';
import { expect, it, vi } from 'vitest';
import { newUser, Unstyled } from '@/testing/render';
import { Dialog } from './Dialog';

it('its main button is pressed by its key also while a select has the focus', async () => {
  const user = newUser();
  const onClick = vi.fn();
  render(
    <Unstyled>
      <Dialog title="New" onClose={vi.fn()} action={{ text: 'Create', onClick }}>
        <Select aria-label="Group" options={[{ value: 1, label: 'Mornings' }]} />
      </Dialog>
    </Unstyled>,
  );
  const select = await screen.findByRole('combobox', { name: 'Group' });
  select.focus();
  await user.keyboard('{Control>}{Enter}{/Control}');
  expect(onClick).toHaveBeenCalledOnce();
  expect(select).toHaveAttribute('aria-expanded', 'false');
  await user.keyboard('{Enter}');
  expect(select).toHaveAttribute('aria-expanded', 'true');
  expect(onClick).toHaveBeenCalledOnce();
});
