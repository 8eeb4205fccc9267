import { describe, expect, it } from 'vitest';
import { mockServer, refusal } from '@/testing/server';
import { signInAs } from '@/testing/render';
import { api, ApiError, failed, leave, messageOf } from './client';
import { session } from './session';

describe('what failed', () => {
  it.each([
    [
      'Failed to create group',
      'A group of this name exists',
      'Failed to create group: a group of this name exists',
    ],
    ['Failed to update profile.', 'name is too long', 'Failed to update profile. Name is too long'],
    ['Failed to update group', '', 'Failed to update group'],
    ['Failed to add question', 'CSV is not taken', 'Failed to add question: CSV is not taken'],
  ])('%s: the sentence stands first, the reason after it', (sentence, reason, shown) => {
    expect(failed(sentence, new ApiError(409, reason))).toBe(shown);
  });

  it.each([
    ['min_value: Slider questions must have both', 'Slider questions must have both'],
    ['questions[2].scale_labels: Too few', 'Too few'],
    ['userId 7: Member not found', 'userId 7: Member not found'],
    ['Pause it first: it is running', 'Pause it first: it is running'],
  ])('no name of the wire comes from “%s”', async (message, words) => {
    const server = mockServer();
    server.get('/api/auth/profile', () => refusal(400, message));
    await expect(api.get('/api/auth/profile')).rejects.toMatchObject({ serverMessage: words });
  });
});

describe('leaving', () => {
  it('ends the session here at once, and on the server', async () => {
    const server = mockServer();
    server.post('/api/auth/logout', () => new Response(null, { status: 204 }));
    signInAs('user');
    const bearer = `Bearer ${localStorage.getItem('token')}`;
    leave();
    expect(session()).toBeNull();
    await expect
      .poll(() => server.calls)
      .toMatchObject([{ path: '/api/auth/logout', authorization: bearer }]);
  });

  it('does not end the session that began since', async () => {
    const server = mockServer();
    let answer: (reply: Response) => void = () => undefined;
    server.post('/api/auth/logout', () => new Promise<Response>((resolve) => (answer = resolve)));
    signInAs('user');
    leave();
    signInAs('admin');
    answer(refusal(401, 'No such session'));
    await Promise.resolve();
    expect(session()?.role).toBe('admin');
  });
});

it('places in a question are named as in its form, and places in a file as in the file', () => {
  const refused = (message: string) => messageOf(new ApiError(400, message), '');
  expect(refused('options[1]: "same" is listed twice')).toBe('Option 2: "same" is listed twice');
  expect(failed('Failed to add question', new ApiError(400, 'sub_questions[0]: is empty'))).toBe(
    'Failed to add question: sub-question 1: is empty',
  );
  expect(refused('questions[3].options[1]: is empty')).toBe('questions[3].options[1]: is empty');
});
