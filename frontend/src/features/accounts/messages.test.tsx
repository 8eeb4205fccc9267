import { screen } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { profile } from '@/testing/fixtures';
import { fill, signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
});

describe('signing in', () => {
  it('tells that no code could be sent', async () => {
    server.break('post', '/api/auth/request-login');
    const { user } = visit('/login');
    await fill(user, await screen.findByLabelText('Email'), 'ada@example.org');
    await user.click(screen.getByRole('button', { name: 'Send Verification Code' }));
    expect(await screen.findByText('Failed to send verification code. Please try again.')).toBeVisible();
  });

  it('tells that the code did not do', async () => {
    server.post('/api/auth/request-login', () => ({ message: 'Sent' }));
    server.break('post', '/api/auth/verify-login');
    const { user } = visit('/login');
    await fill(user, await screen.findByLabelText('Email'), 'ada@example.org');
    await user.click(screen.getByRole('button', { name: 'Send Verification Code' }));
    await fill(user, await screen.findByLabelText('Verification code'), '123456');
    expect(await screen.findByText('Invalid or expired verification code. Please try again.')).toBeVisible();
  });
});

describe('the profile', () => {
  beforeEach(() => {
    server.get('/api/auth/profile', () => profile);
    signInAs('admin');
  });

  it('tells that it could not be loaded', async () => {
    server.break('get', '/api/auth/profile');
    visit('/profile');
    expect(await screen.findByText('Failed to load profile.')).toBeVisible();
  });

  it('is what the server answers after an update', async () => {
    server.put('/api/auth/profile', () => ({ ...profile, name: 'Ada Lovelace' }));
    const { user } = visit('/profile');
    await user.type(await screen.findByLabelText('Full Name'), ' L.');
    await user.click(screen.getByRole('button', { name: 'Update Profile' }));
    expect(await screen.findByText('Profile updated successfully!')).toBeVisible();
    expect(screen.getByRole('heading', { name: 'Ada Lovelace' })).toBeVisible();
    expect(server.sent('put', '/api/auth/profile')).toEqual([{ name: 'Ada L.' }]);
  });

  it('tells that it could not be updated', async () => {
    server.break('put', '/api/auth/profile');
    const { user } = visit('/profile');
    await user.click(await screen.findByRole('button', { name: 'Update Profile' }));
    expect(await screen.findByText('Failed to update profile.')).toBeVisible();
  });

  it('does not take a blank name', async () => {
    const { user } = visit('/profile');
    await user.clear(await screen.findByLabelText('Full Name'));
    expect(await screen.findByText('Name cannot be empty.')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Update Profile' })).toBeDisabled();
  });
});
