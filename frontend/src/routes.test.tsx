import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { mockServer, refusal } from './testing/server';
import { signInAs, visit } from './testing/render';

describe('the guards', () => {
  it('send visitors of signed-in pages to sign in', async () => {
    mockServer();
    const { path } = visit('/my-groups');
    expect(await screen.findByRole('button', { name: 'Send Verification Code' })).toBeVisible();
    expect(path()).toBe('/login');
  });

  it('remove a token that cannot be read', async () => {
    mockServer();
    localStorage.setItem('token', 'not.a.token');
    const { path } = visit('/profile');
    await waitFor(() => expect(path()).toBe('/login'));
    expect(localStorage.getItem('token')).toBeNull();
  });

  it.each(['/groups', '/admin'])('send a user from %s to their groups', async (address) => {
    const server = mockServer();
    server.get('/api/groups/my', () => []);
    signInAs('user');
    const { path } = visit(address);
    expect(await screen.findByText('No Groups Yet')).toBeVisible();
    expect(path()).toBe('/my-groups');
  });

  it.each(['/survey-builder', '/surveys/3'])('send a super admin from %s to the groups', async (address) => {
    const server = mockServer();
    server.get('/api/groups', () => []);
    signInAs('super_admin');
    const { path } = visit(address);
    expect(await screen.findByText('Create Your First Group')).toBeVisible();
    expect(path()).toBe('/groups');
  });

  it('lead out of a public page to sign in', async () => {
    mockServer();
    signInAs('user');
    const { user, path } = visit('/about');
    await user.click(await screen.findByRole('button', { name: 'Ada' }));
    await user.click(screen.getByRole('button', { name: 'Sign out' }));
    expect(await screen.findByRole('button', { name: 'Send Verification Code' })).toBeVisible();
    expect(path()).toBe('/login');
    expect(localStorage.getItem('token')).toBeNull();
  });

  it('end the session when the server says 401', async () => {
    const server = mockServer();
    server.get('/api/auth/profile', () => refusal(401, 'Token expired'));
    signInAs('user');
    const { path } = visit('/profile');
    await waitFor(() => expect(path()).toBe('/login'));
    expect(localStorage.getItem('token')).toBeNull();
  });

  it('show a page of last resort where a page broke', async () => {
    const server = mockServer();
    server.get('/api/groups/my', () => Response.json([null]));
    vi.mocked(console.error).mockImplementation(() => undefined);
    signInAs('user');
    visit('/my-groups');
    expect(await screen.findByText('Unexpected Application Error!')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Reload the page' })).toBeVisible();
    vi.mocked(console.error).mockClear();
  });

  it('show a page for addresses that do not exist', async () => {
    mockServer();
    visit('/nowhere');
    expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeVisible();
    expect(screen.getByRole('link', { name: 'Go Home' })).toHaveAttribute('href', '/');
  });
});
