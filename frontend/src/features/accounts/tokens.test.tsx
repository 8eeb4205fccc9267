import { screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { settings } from '@/testing/fixtures';
import { choose, fill, shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

const token = {
  id: 3,
  name: 'My notebook',
  scopes: ['run' as const],
  prefix: 'twl_Xb3kQ9pL',
  createdAt: '2026-01-01T09:00:00Z',
  expiresAt: null,
  lastUsedAt: null,
};
let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/auth/settings', () => settings);
  server.get('/api/auth/tokens', () => [token]);
  signInAs('user');
});

describe('personal access tokens', () => {
  it('are shown once, to be copied', async () => {
    server.post('/api/auth/tokens', () =>
      Response.json({ ...token, token: 'twl_Xb3kQ9pL.secret' }, { status: 201 }),
    );
    const { user } = visit('/settings');
    const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    await user.click(await screen.findByRole('button', { name: 'New Token' }));
    const dialog = within(await shownDialog());
    await fill(user, dialog.getByLabelText('Token Name'), 'My notebook');
    await choose(user, 'Scope', 'Read: look at everything, change nothing');
    await choose(user, 'Expires after', 'Does not expire');
    await user.click(dialog.getByRole('button', { name: 'Create Token' }));
    expect(await screen.findByLabelText('Token')).toHaveValue('twl_Xb3kQ9pL.secret');
    await user.click(screen.getByRole('button', { name: 'Copy' }));
    expect(await screen.findByText('Token copied')).toBeVisible();
    expect(copied).toHaveBeenCalledExactlyOnceWith('twl_Xb3kQ9pL.secret');
    expect(server.sent('post', '/api/auth/tokens')).toEqual([
      { name: 'My notebook', scopes: ['read'], expiresAt: null },
    ]);
    await user.click(screen.getByRole('button', { name: 'Done' }));
    expect(screen.queryByLabelText('Token')).not.toBeInTheDocument();
  });

  it('that cannot be made say why and keep what was typed', async () => {
    server.post('/api/auth/tokens', () => refusal(409, 'You have 50 tokens'));
    const { user } = visit('/settings');
    await user.click(await screen.findByRole('button', { name: 'New Token' }));
    const dialog = within(await shownDialog());
    await fill(user, dialog.getByLabelText('Token Name'), 'One more');
    await user.click(dialog.getByRole('button', { name: 'Create Token' }));
    expect(await dialog.findByText('Failed to create token: you have 50 tokens')).toBeVisible();
    expect(dialog.getByLabelText('Token Name')).toHaveValue('One more');
  });

  it('are revoked when that is confirmed', async () => {
    server.delete('/api/auth/tokens/{tokenId}', () => new Response(null, { status: 204 }));
    const { user } = visit('/settings');
    await user.click(await screen.findByRole('button', { name: 'Revoke My notebook' }));
    await user.click(within(await shownDialog()).getByRole('button', { name: 'Revoke' }));
    expect(await screen.findByText('Token revoked')).toBeVisible();
    expect(server.sent('delete', '/api/auth/tokens/3')).toHaveLength(1);
  });
});

it('signing out everywhere ends this session too', async () => {
  server.post('/api/auth/logout-everywhere', () => new Response(null, { status: 204 }));
  const { user, path } = visit('/settings');
  await user.click(await screen.findByRole('button', { name: 'Sign out everywhere' }));
  expect(await screen.findByText('You are signed out everywhere.')).toBeVisible();
  expect(path()).toBe('/login');
});
