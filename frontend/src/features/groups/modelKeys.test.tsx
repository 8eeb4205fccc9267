import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { ModelKey } from '@/api/types';
import { group, member } from '@/testing/fixtures';
import { shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

const openai: ModelKey = {
  server: 'openai',
  wire: 'openai',
  models: ['gpt-4.1-mini'],
  lastFour: null,
  setBy: null,
  setAt: null,
  mustBeSetAgain: false,
  newRunsUse: 'instance',
};
const gone: ModelKey = {
  server: 'gpu',
  wire: null,
  models: [],
  lastFour: 'a1B2',
  setBy: 'ada@example.org',
  setAt: '2026-11-28T09:00:00Z',
  mustBeSetAgain: true,
  newRunsUse: null,
};
let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups/{groupId}', () => group);
  server.get('/api/groups/{groupId}/members', () => [member]);
  server.get('/api/groups/{groupId}/model-keys', () => [openai, gone]);
  signInAs('admin');
});

it('the owner sets a key, which is sent once and shown nowhere', async () => {
  server.put('/api/groups/{groupId}/model-keys/{server}', () => openai);
  const { user } = visit('/groups/4/manage-members?tab=keys');
  const row = within((await screen.findByText('openai')).closest('tr') as HTMLTableRowElement);
  expect(row.getByText('the instance’s key')).toBeVisible();
  await user.click(row.getByRole('button', { name: 'Set the key for openai' }));
  const field = within(await shownDialog()).getByLabelText('Key');
  expect(field).toHaveAttribute('type', 'password');
  await user.type(field, ' sk-0123456789 ');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await expect
    .poll(() => server.sent('put', '/api/groups/4/model-keys/openai'))
    .toEqual([{ key: 'sk-0123456789' }]);
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(document.body.innerHTML).not.toContain('sk-0123456789');
});

it('a key is removed after a question, also that of a server which is not there any more', async () => {
  server.delete('/api/groups/{groupId}/model-keys/{server}', () => new Response(null, { status: 204 }));
  const { user } = visit('/groups/4/manage-members?tab=keys');
  const row = within((await screen.findByText('gpu')).closest('tr') as HTMLTableRowElement);
  expect(row.getByText('…a1B2')).toBeVisible();
  expect(row.getByText(/set it again/)).toBeVisible();
  expect(row.getByText('no key: it cannot be asked')).toBeVisible();
  expect(row.queryByRole('button', { name: 'Replace the key for gpu' })).not.toBeInTheDocument();
  await user.click(row.getByRole('button', { name: 'Remove the key for gpu' }));
  expect(await shownDialog()).toHaveTextContent('Runs that began with it pause.');
  await user.click(screen.getByRole('button', { name: 'Remove' }));
  await expect
    .poll(() =>
      server.calls.filter(({ method }) => method.toLowerCase() === 'delete').map(({ path }) => path),
    )
    .toEqual(['/api/groups/4/model-keys/gpu']);
});
