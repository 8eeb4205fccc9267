import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { group, survey } from '@/testing/fixtures';
import { shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';
import { isKey, keys, type KeyName } from '@/ui/keys';

let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups/my', () => [group, { ...group, id: 5, groupName: 'Evenings' }]);
  server.get('/api/surveys/my', () => [survey]);
  server.get('/api/groups', () => [group]);
});

it('? lists every key, and Escape gives the focus back', async () => {
  signInAs('user');
  const { user } = visit('/my-groups');
  const profile = await screen.findByRole('link', { name: /^Profile/ });
  profile.focus();
  await user.keyboard('?');
  const dialog = within(await shownDialog());
  for (const { what } of Object.values(keys)) expect(dialog.getAllByText(what)[0]).toBeVisible();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(profile).toHaveFocus();
});

it('J and K go through the rows of a list, and Enter opens one', async () => {
  signInAs('admin');
  const { user, path } = visit('/my-groups');
  await screen.findByText('Evenings');
  const [first, second] = screen.getAllByRole('link', { name: 'Manage Members' });
  await user.keyboard('j');
  expect(first).toHaveFocus();
  await user.keyboard('jj');
  expect(second).toHaveFocus();
  await user.keyboard('k');
  expect(first).toHaveFocus();
  server.get('/api/groups/{groupId}', () => group);
  server.get('/api/groups/{groupId}/members', () => []);
  server.get('/api/groups/{groupId}/usage', () => []);
  await user.keyboard('{Enter}');
  await waitFor(() => expect(path()).toBe('/groups/4/manage-members'));
});

it('letters are letters where somebody types', async () => {
  signInAs('user');
  const { user } = visit('/survey-builder');
  const search = await screen.findByLabelText('Search surveys');
  await user.type(search, 'jk?');
  expect(search).toHaveValue('jk?');
  expect(search).toHaveFocus();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('Ctrl and Enter press the main button of a dialog', async () => {
  signInAs('super_admin');
  const { user } = visit('/groups?create');
  const dialog = within(await shownDialog());
  await user.click(dialog.getByLabelText('Group Name'));
  await user.keyboard('{Control>}{Enter}{/Control}');
  expect(await dialog.findByText('Group name is required')).toBeVisible();
  expect(server.sent('post', '/api/groups')).toEqual([]);
});

it('no two keys of one place are the same', () => {
  const names = Object.keys(keys) as KeyName[];
  for (const name of names) {
    for (const other of names) {
      if (name === other || keys[name].area !== keys[other].area) continue;
      const chords: readonly string[] = keys[other].chords;
      expect(
        keys[name].chords.filter((chord) => chords.includes(chord)),
        `${name}, ${other}`,
      ).toEqual([]);
    }
  }
  const press = { key: 'Z', ctrlKey: true, metaKey: false, altKey: false, shiftKey: true };
  expect(isKey(press, 'redo')).toBe(true);
  expect(isKey(press, 'undo')).toBe(false);
  expect(isKey({ ...press, key: '?', ctrlKey: false }, 'keyList')).toBe(true);
});
