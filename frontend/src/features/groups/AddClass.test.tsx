import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { group, member } from '@/testing/fixtures';
import { shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/groups/{groupId}', () => group);
  server.get('/api/groups/{groupId}/members', () => [member]);
  server.get('/api/groups/{groupId}/usage', () => []);
  server.post('/api/groups/{groupId}/members/bulk', ({ body }) =>
    (body as { emails: string[] }).emails.map((email) =>
      email === 'late@example.org'
        ? { email, added: false, reason: 'This account is suspended' }
        : { email, added: true },
    ),
  );
  signInAs('admin');
});

/** The dialog with a list pasted into it. */
async function pasted(list: string) {
  const { user } = visit('/groups/4/manage-members');
  await user.click(await screen.findByRole('button', { name: /class list/i }));
  const dialog = within(await shownDialog());
  const field = dialog.getByLabelText('E-mails');
  await user.clear(field);
  await user.click(field);
  await user.paste(list);
  return { user, dialog };
}

it('a class list is looked through before anybody is added', async () => {
  const { dialog } = await pasted(
    'Ada <new@example.org>, grace@example.org; nobody@nowhere\nNew@Example.org',
  );
  expect(dialog.getByText('1 new, 1 known, 1 invalid')).toBeVisible();
  expect(dialog.getByText('Member already')).toBeVisible();
  expect(dialog.getByText('Not an e-mail')).toBeVisible();
  expect(dialog.getByLabelText('Budget of each')).toHaveValue('500');
  expect(dialog.getByRole('button', { name: 'Add 1 Members' })).toBeEnabled();
});

it('who is refused is named and stays in the field, the others are in', async () => {
  const { user, dialog } = await pasted('one@example.org, late@example.org, two@example.org');
  const budget = dialog.getByLabelText('Budget of each');
  await user.clear(budget);
  await user.type(budget, '80');
  await user.click(dialog.getByRole('button', { name: 'Add 3 Members' }));
  expect(await dialog.findByText('late@example.org: This account is suspended')).toBeVisible();
  expect(server.sent('post', '/api/groups/4/members/bulk')).toEqual([
    { emails: ['one@example.org', 'late@example.org', 'two@example.org'], budget: 80 },
  ]);
  expect(dialog.getByLabelText('E-mails')).toHaveValue('late@example.org');
  expect(screen.getByText('2 members added successfully!')).toBeInTheDocument();
});

it('a list that the server refuses stays in the field, with the reason', async () => {
  server.post('/api/groups/{groupId}/members/bulk', () => refusal(400, 'budget: must be a whole number'));
  const { user, dialog } = await pasted('one@example.org');
  await user.click(dialog.getByRole('button', { name: 'Add 1 Members' }));
  expect(await dialog.findByText('one@example.org: must be a whole number')).toBeVisible();
  expect(dialog.getByLabelText('E-mails')).toHaveValue('one@example.org');
});

it('closes once all are added', async () => {
  const { user, dialog } = await pasted('one@example.org');
  await user.click(dialog.getByRole('button', { name: 'Add 1 Members' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(await screen.findByText('1 member added successfully!')).toBeVisible();
});
