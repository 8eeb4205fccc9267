import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { currentTheme } from '@/ui/colorTheme';
import { group, profile, settings } from '@/testing/fixtures';
import { choose, fill, signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/auth/settings', () => settings);
  server.put('/api/auth/settings', ({ body }) => body as typeof settings);
  server.get('/api/groups/my', () => [group]);
  server.get('/api/auth/tokens', () => []);
});

describe('the settings', () => {
  beforeEach(() => signInAs('user'));

  it('are saved on the server, every one of them', async () => {
    const { user } = visit('/settings');
    for (const label of [
      'Email notifications',
      'When a simulation completes',
      'When my budget runs low',
      'About new features',
      'Save drafts automatically',
    ]) {
      await user.click(await screen.findByRole('switch', { name: label }));
    }
    await choose(user, 'Default digital twins', '500 twins');
    await choose(user, 'Export format', 'JSON');
    await choose(user, 'Theme', 'Dark');
    await user.click(screen.getByRole('button', { name: 'Save Settings' }));
    expect(await screen.findByText('Settings saved')).toBeVisible();
    expect(server.sent('put', '/api/auth/settings')).toEqual([
      {
        emailNotifications: false,
        simulationComplete: false,
        lowBudget: false,
        newFeatures: true,
        autoSave: false,
        defaultDigitalTwins: 500,
        exportFormat: 'json',
        theme: 'dark',
      },
    ]);
    expect(currentTheme()).toBe('dark');
  });

  it('show on their button that they are being saved, and how that went', async () => {
    let answer: (saved: typeof settings) => void = () => undefined;
    server.put('/api/auth/settings', () => new Promise((resolve) => (answer = resolve)));
    const { user } = visit('/settings');
    await user.click(await screen.findByRole('button', { name: 'Save Settings' }));
    expect(await screen.findByRole('button', { name: 'Saving...' })).toBeDisabled();
    answer(settings);
    expect(await screen.findByRole('button', { name: 'Save Settings' })).toHaveClass('ended-well');
    server.break('put', '/api/auth/settings');
    await user.click(screen.getByRole('button', { name: 'Save Settings' }));
    // The button keeps its look; a message is gone after some seconds, which a busy machine may take.
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Save Settings' })).toHaveClass('ant-btn-dangerous'),
    );
  });

  it('tell when they could not be saved', async () => {
    server.break('put', '/api/auth/settings');
    const { user } = visit('/settings');
    await user.click(await screen.findByRole('button', { name: 'Save Settings' }));
    expect(await screen.findByText('Failed to save settings')).toBeVisible();
  });

  it('take the theme that the button of the bar chooses, and keep it', async () => {
    server.get('/api/auth/settings', () => ({ ...settings, exportFormat: 'excel' }));
    const { user } = visit('/settings');
    await screen.findByRole('button', { name: 'Save Settings' });
    await user.click(screen.getByRole('button', { name: 'Use the dark theme' }));
    expect(screen.getByTitle('Dark')).toBeVisible();
    await expect
      .poll(() => server.sent('put', '/api/auth/settings'))
      .toEqual([{ ...settings, exportFormat: 'excel', theme: 'dark' }]);
  });
});

describe('the theme', () => {
  async function signIn(user: ReturnType<typeof visit>['user']) {
    server.get('/api/auth/profile', () => profile);
    server.post('/api/auth/request-login', () => ({ message: 'Sent' }));
    server.post('/api/auth/verify-login', () => {
      signInAs('user');
      return { access_token: localStorage.getItem('token') ?? '' };
    });
    await fill(user, await screen.findByLabelText('Email'), 'ada@example.org');
    await user.click(screen.getByRole('button', { name: 'Send Verification Code' }));
    await fill(user, await screen.findByLabelText('Verification code'), '123456');
    expect(await screen.findByRole('heading', { name: 'My Groups' })).toBeVisible();
  }

  it('that was saved elsewhere is shown after sign-in', async () => {
    server.get('/api/auth/settings', () => ({ ...settings, theme: 'dark' }));
    const { user } = visit('/login');
    await signIn(user);
    await expect.poll(currentTheme).toBe('dark');
  });

  it('that a visitor chose stays after sign-in, and is saved', async () => {
    const { user, router } = visit('/');
    await user.click(await screen.findByRole('button', { name: 'Use the dark theme' }));
    await router.navigate('/login');
    await signIn(user);
    await expect
      .poll(() => server.sent('put', '/api/auth/settings'))
      .toEqual([{ ...settings, theme: 'dark' }]);
    expect(currentTheme()).toBe('dark');
  });

  it('of a visitor is kept on this machine alone', async () => {
    const { user } = visit('/');
    await user.click(await screen.findByRole('button', { name: 'Use the dark theme' }));
    expect(currentTheme()).toBe('dark');
    await user.click(within(document.body).getByRole('button', { name: "Use the system's theme" }));
    expect(currentTheme()).toBe('light');
    expect(within(document.body).getByRole('button', { name: 'Use the light theme' })).toBeVisible();
    expect(server.calls).toEqual([]);
  });
});
