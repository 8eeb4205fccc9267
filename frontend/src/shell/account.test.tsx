import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { group, settings } from '@/testing/fixtures';
import { signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  localStorage.setItem('theme', 'light');
  server = mockServer();
  server.get('/api/groups/my', () => [group, { ...group, id: 5, available: 1250 }]);
  server.get('/api/auth/settings', () => settings);
  server.get('/api/auth/tokens', () => []);
  server.put('/api/auth/settings', () => settings);
  server.post('/api/auth/logout', () => undefined as never);
});

const opened = async () => {
  const visited = visit('/my-groups');
  const opener = await screen.findByRole('button', { name: 'Account' });
  opener.focus();
  await visited.user.keyboard('{Enter}');
  return { ...visited, menu: within(await screen.findByRole('menu')) };
};

it('says who is signed in and what is left, and leads to the settings', async () => {
  signInAs('user', { email: 'grace@example.org' });
  const { user, menu } = await opened();
  expect(menu.getByText('grace@example.org')).toBeVisible();
  expect(await menu.findByText('1,750 credits left')).toBeVisible();
  expect(menu.queryByRole('menuitem', { name: 'Administration' })).not.toBeInTheDocument();
  await user.click(menu.getByRole('menuitem', { name: 'Settings' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
});

it('changes the theme and keeps it', async () => {
  signInAs('user');
  const { user, menu } = await opened();
  expect(menu.getByRole('menuitem', { name: /^Light\s*, chosen/ })).toBeVisible();
  await user.click(menu.getByRole('menuitem', { name: 'Dark' }));
  expect(document.documentElement.dataset.theme).toBe('dark');
  await waitFor(() =>
    expect(server.sent('put', '/api/auth/settings')).toEqual([{ ...settings, theme: 'dark' }]),
  );
});

it('signs out', async () => {
  signInAs('admin');
  const { user, menu, path } = await opened();
  await user.click(menu.getByRole('menuitem', { name: 'Sign out' }));
  await waitFor(() => expect(path()).toBe('/login'));
  expect(localStorage.getItem('token')).toBeNull();
});
