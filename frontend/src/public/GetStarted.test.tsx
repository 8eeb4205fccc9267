import { screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { mockServer, refusal } from '@/testing/server';
import { fill, signInAs, visit } from '@/testing/render';

const submit = () => screen.getByRole('button', { name: 'Submit Request' });

async function fillIn() {
  const { user } = visit('/get-started');
  await fill(user, await screen.findByLabelText(/E-mail/), 'ada@example.org');
  return user;
}

describe('the access request', () => {
  it('cannot be submitted without an e-mail', async () => {
    mockServer();
    visit('/get-started');
    await screen.findByLabelText(/E-mail/);
    expect(submit()).toBeDisabled();
  });

  it('is sent without a token, and its confirmation takes the place of the form', async () => {
    const server = mockServer();
    server.post('/api/auth/request-group', () => ({ message: 'Received' }));
    signInAs('user');
    const user = await fillIn();
    await user.selectOptions(screen.getByLabelText('Purpose of use'), 'Student Projects');
    await user.click(submit());
    expect(await screen.findByText('Request Submitted Successfully!')).toBeVisible();
    expect(server.calls).toEqual([
      expect.objectContaining({
        authorization: null,
        body: {
          email: 'ada@example.org',
          instituteName: '',
          purposeOfUse: 'student_projects',
          description: '',
        },
      }),
    ]);
    expect(screen.queryByRole('button', { name: 'Submit Request' })).not.toBeInTheDocument();
  });

  it('shows what the server says, and can be sent again', async () => {
    const server = mockServer();
    server.post('/api/auth/request-group', () => refusal(429, 'Too many requests'));
    const user = await fillIn();
    await user.click(submit());
    expect(await screen.findByText('Too many requests')).toBeVisible();
    expect(submit()).toBeEnabled();
  });

  it('has words of its own where the server has none', async () => {
    const server = mockServer();
    server.break('post', '/api/auth/request-group');
    const user = await fillIn();
    await user.click(submit());
    expect(await screen.findByText('Something went wrong. Please try again.')).toBeVisible();
  });

  it('tells a broken connection from a refusal', async () => {
    mockServer();
    const user = await fillIn();
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('offline'));
    await user.click(submit());
    expect(
      await screen.findByText('Network error. Please check your connection and try again.'),
    ).toBeVisible();
  });
});
