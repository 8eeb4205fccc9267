import { screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { mockServer, refusal } from '@/testing/server';
import { fill, visit } from '@/testing/render';

async function askForCode() {
  const { user, path } = visit('/login');
  await fill(user, await screen.findByLabelText('Email'), 'ada@example.org');
  await user.click(screen.getByRole('button', { name: 'Send Verification Code' }));
  return { user, path };
}

describe('sign-in', () => {
  it('refuses what is no e-mail without asking the server', async () => {
    const server = mockServer();
    const { user } = visit('/login');
    await fill(user, await screen.findByLabelText('Email'), 'ada@nowhere');
    await user.click(screen.getByRole('button', { name: 'Send Verification Code' }));
    expect(screen.getByRole('alert')).toHaveTextContent('Please enter a valid email address');
    expect(server.calls).toEqual([]);
  });

  it('asks for the code once it is sent, and goes back', async () => {
    const server = mockServer();
    server.post('/api/auth/request-login', () => ({ message: 'Sent' }));
    const { user } = await askForCode();
    expect(await screen.findByText('Verification code sent successfully! Check your email.')).toBeVisible();
    expect(screen.getByText('We sent a verification code to ada@example.org')).toBeVisible();
    expect(server.sent('post', '/api/auth/request-login')).toEqual([{ email: 'ada@example.org' }]);
    await user.click(screen.getByRole('button', { name: 'Back' }));
    expect(screen.getByLabelText('Email')).toHaveValue('ada@example.org');
    expect(screen.queryByText(/sent successfully/)).not.toBeInTheDocument();
  });

  it('wants six characters and shows what the server says of the code', async () => {
    const server = mockServer();
    server.post('/api/auth/request-login', () => ({ message: 'Sent' }));
    server.post('/api/auth/verify-login', () => refusal(401, 'Too many tries'));
    const { user, path } = await askForCode();
    await user.type(await screen.findByLabelText('Verification code'), '123');
    await user.click(screen.getByRole('button', { name: 'Verify & Sign In' }));
    expect(screen.getByRole('alert')).toHaveTextContent('Please enter the 6-digit verification code');
    await fill(user, screen.getByLabelText('Verification code'), '4567');
    expect(await screen.findByText('Too many tries')).toBeVisible();
    expect(server.sent('post', '/api/auth/verify-login')).toEqual([
      { email: 'ada@example.org', code: '123456' },
    ]);
    expect(path()).toBe('/login');
  });

  it('takes a code with a blank in it, at once', async () => {
    const server = mockServer();
    server.post('/api/auth/request-login', () => ({ message: 'Sent' }));
    server.post('/api/auth/verify-login', () => refusal(401, 'Too many tries'));
    const { user } = await askForCode();
    await user.click(await screen.findByLabelText('Verification code'));
    await user.paste('783 772');
    expect(await screen.findByText('Too many tries')).toBeVisible();
    expect(screen.getByLabelText('Verification code')).toHaveValue('783772');
    expect(server.sent('post', '/api/auth/verify-login')).toEqual([
      { email: 'ada@example.org', code: '783772' },
    ]);
  });

  it('signs in by the link of a mail once that is pressed', async () => {
    const server = mockServer();
    server.post('/api/auth/verify-login', () => refusal(401, 'Invalid or expired verification code.'));
    const { user } = visit('/login#email=ada%40example.org&key=00ff');
    expect(await screen.findByText('Sign in as ada@example.org')).toBeVisible();
    expect(server.calls).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Sign In' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Invalid or expired verification code.');
    expect(server.sent('post', '/api/auth/verify-login')).toEqual([
      { email: 'ada@example.org', code: '00ff' },
    ]);
    await user.click(screen.getByRole('button', { name: 'Use a code instead' }));
    expect(await screen.findByLabelText('Email')).toHaveValue('');
  });

  it('asks for the code again after a reload, and lets nobody resend it at once', async () => {
    const server = mockServer();
    // However long the page takes to come.
    vi.useFakeTimers({ toFake: ['Date'] });
    sessionStorage.setItem(
      'sent-code',
      JSON.stringify({ email: 'ada@example.org', at: Date.now() - 10_000 }),
    );
    const { user } = visit('/login');
    expect(await screen.findByText('We sent a verification code to ada@example.org')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Resend in 20 s' })).toBeDisabled();
    await user.click(screen.getByRole('button', { name: 'Back' }));
    expect(screen.getByLabelText('Email')).toHaveValue('ada@example.org');
    expect(sessionStorage.getItem('sent-code')).toBeNull();
    expect(server.calls).toEqual([]);
  });

  it('resends once half a minute is over', async () => {
    mockServer();
    sessionStorage.setItem(
      'sent-code',
      JSON.stringify({ email: 'ada@example.org', at: Date.now() - 31_000 }),
    );
    const { user } = visit('/login');
    await user.click(await screen.findByRole('button', { name: 'Resend' }));
    expect(screen.getByLabelText('Email')).toHaveValue('ada@example.org');
  });
});
