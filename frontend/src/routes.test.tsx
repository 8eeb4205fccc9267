import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { config, group, settings, survey } from './testing/fixtures';
import { mockServer, refusal } from './testing/server';
import { fill, signInAs, visit } from './testing/render';

describe('the guards', () => {
  it('send visitors of signed-in pages to sign in', async () => {
    mockServer();
    const { path } = visit('/my-groups');
    expect(await screen.findByRole('button', { name: 'Send Verification Code' })).toBeVisible();
    expect(path()).toBe('/login');
    expect(screen.queryByText(/Your session ended/)).not.toBeInTheDocument();
  });

  it('lead from the sign-in to where the visitor wanted to go', async () => {
    const server = mockServer();
    server.post('/api/auth/request-login', () => ({ message: 'Sent' }));
    server.post('/api/auth/verify-login', () => {
      signInAs('user');
      const token = localStorage.getItem('token') ?? '';
      localStorage.removeItem('token');
      return { access_token: token };
    });
    server.get('/api/auth/settings', () => refusal(404, ''));
    server.get('/api/groups/my', () => []);
    const { user, router } = visit('/transactions?type=ADD');
    await fill(user, await screen.findByLabelText('Email'), 'ada@example.org');
    expect(router.state.location.search).toBe('?next=%2Ftransactions%3Ftype%3DADD');
    await user.click(screen.getByRole('button', { name: 'Send Verification Code' }));
    await fill(user, await screen.findByLabelText('Verification code'), '123456');
    await waitFor(() => expect(router.state.location.pathname).toBe('/transactions'));
    expect(router.state.location.search).toBe('?type=ADD');
  });

  it.each(['https://elsewhere.example', '//elsewhere.example', '/\\elsewhere.example', 'login'])(
    'lead from the sign-in nowhere else: %s',
    async (next) => {
      const server = mockServer();
      server.get('/api/groups/my', () => []);
      signInAs('user');
      const { path } = visit(`/login?next=${encodeURIComponent(next)}`);
      await waitFor(() => expect(path()).toBe('/my-groups'));
    },
  );

  it('lead who signed out to sign in and nowhere after it', async () => {
    const server = mockServer();
    server.get('/api/groups/my', () => []);
    server.post('/api/auth/logout', () => new Response(null, { status: 204 }));
    signInAs('user');
    const { user, router, path } = visit('/my-groups');
    await user.click(await screen.findByRole('button', { name: 'Sign out' }));
    await waitFor(() => expect(path()).toBe('/login'));
    expect(router.state.location.search).toBe('');
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
    const server = mockServer();
    server.get('/api/auth/settings', () => settings);
    server.post('/api/auth/logout', () => new Response(null, { status: 204 }));
    signInAs('user');
    const { user, path } = visit('/about');
    await user.click(await screen.findByRole('button', { name: 'Ada' }));
    await user.click(screen.getByRole('button', { name: 'Sign out' }));
    expect(await screen.findByRole('button', { name: 'Send Verification Code' })).toBeVisible();
    expect(path()).toBe('/login');
    expect(localStorage.getItem('token')).toBeNull();
  });

  it('are left for the sign-in page when the server says 401, those that are open to all too', async () => {
    const server = mockServer();
    server.get('/api/auth/settings', () => refusal(401, 'Token expired'));
    server.put('/api/auth/settings', () => refusal(401, 'Token expired'));
    signInAs('user');
    const { user, path } = visit('/about');
    await user.click(await screen.findByRole('button', { name: 'Use the dark theme' }));
    await waitFor(() => expect(path()).toBe('/login'));
    expect(localStorage.getItem('token')).toBeNull();
    await user.click(await screen.findByRole('link', { name: 'Back to Home' }));
    await waitFor(() => expect(path()).toBe('/'));
  });

  it('end the session when the server says 401', async () => {
    const server = mockServer();
    server.get('/api/auth/profile', () => refusal(401, 'Token expired'));
    signInAs('user');
    const { path, router } = visit('/profile');
    await waitFor(() => expect(path()).toBe('/login'));
    expect(localStorage.getItem('token')).toBeNull();
    expect(router.state.location.search).toBe('?next=%2Fprofile');
    expect(await screen.findByText('Your session ended; sign in to go on')).toBeVisible();
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

describe('the way to a page', () => {
  const area = () => screen.getByRole('navigation', { name: 'Main' }).querySelector('[aria-current]');
  const trail = () => screen.getByRole('navigation', { name: 'Breadcrumb' });

  it('is marked in the menu and stands above a survey', async () => {
    const server = mockServer();
    server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [] }));
    server.get('/api/surveys/{surveyId}/questions', () => []);
    server.get('/api/surveys/{surveyId}/simulation-config', () => config);
    server.get('/api/auth/settings', () => settings);
    signInAs('user');
    visit('/surveys/3');
    expect(await screen.findByRole('heading', { name: 'Coffee' })).toBeVisible();
    expect(trail()).toHaveTextContent('Surveys›Coffee');
    expect(area()).toHaveTextContent('Survey Builder');
    expect(area()).toHaveAttribute('aria-current', 'true');
  });

  it('is marked in the menu and stands above a group', async () => {
    const server = mockServer();
    server.get('/api/groups/{groupId}', () => group);
    server.get('/api/groups/{groupId}/members', () => []);
    server.get('/api/groups/{groupId}/usage', () => []);
    signInAs('user');
    visit('/groups/4/manage-members');
    await waitFor(() => expect(trail()).toHaveTextContent('My Groups›Mornings'));
    expect(area()).toHaveTextContent('My Groups');
  });

  it.each([
    ['/surveys/99', 'Survey Not Found', 'Back to Survey List'],
    ['/groups/99/manage-members', 'Group Not Found', 'View My Groups'],
  ])('to nothing ends at words and a way back: %s', async (address, title, back) => {
    const server = mockServer();
    server.get('/api/surveys/{surveyId}', () => refusal(404, 'Survey not found'));
    server.get('/api/surveys/{surveyId}/questions', () => refusal(404, 'Survey not found'));
    server.get('/api/surveys/{surveyId}/simulation-config', () => refusal(404, 'Survey not found'));
    server.get('/api/auth/settings', () => settings);
    server.get('/api/groups/{groupId}', () => refusal(404, 'Group not found'));
    server.get('/api/groups/{groupId}/members', () => refusal(404, 'Group not found'));
    signInAs('user');
    visit(address);
    expect(await screen.findByRole('heading', { name: title })).toBeVisible();
    expect(screen.getByRole('link', { name: back })).toBeVisible();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
    expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
  });
});
