import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import type { Session } from '@/api/session';
import { config, group, run, settings, survey } from '@/testing/fixtures';
import { shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';
import { found, placesOf } from './commands';

let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  localStorage.setItem('theme', 'light');
  server = mockServer();
  server.get('/api/auth/settings', () => settings);
  server.get('/api/groups/my', () => [group]);
  server.get('/api/surveys/my', () => [survey, { ...survey, id: 9, title: 'Commuting' }]);
  server.get('/api/simulations', () => [{ ...run, name: 'Pilot of May' }]);
});

/** The palette, once it can be typed into. */
async function summon(user: UserEvent) {
  await user.keyboard('{Control>}k{/Control}');
  const dialog = within(await screen.findByRole('dialog', { name: 'Go to' }));
  const field = dialog.getByRole('combobox');
  await waitFor(() => expect(field).toHaveFocus());
  return { dialog, field };
}

const open = async () => {
  const visited = visit('/my-groups');
  await screen.findByRole('heading', { level: 1 });
  return { ...visited, ...(await summon(visited.user)) };
};
const chosen = () => screen.getByRole('option', { selected: true });

it('goes to a survey by its name, from the keyboard alone', async () => {
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, id: 9, title: 'Commuting', questions: [] }));
  server.get('/api/surveys/{surveyId}/questions', () => []);
  server.get('/api/surveys/{surveyId}/simulation-config', () => config);
  signInAs('user');
  const { user, dialog, field, path } = await open();
  expect(field).toHaveFocus();
  await dialog.findByRole('option', { name: /^Commuting/ });
  await user.keyboard('commu');
  expect(chosen()).toHaveTextContent('Commuting');
  expect(field).toHaveAttribute('aria-activedescendant', chosen().id);
  await user.keyboard('{Enter}');
  await waitFor(() => expect(path()).toBe('/surveys/9'));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('the arrows go round through all sections', async () => {
  signInAs('user');
  const { user, dialog } = await open();
  await dialog.findByRole('option', { name: /^Pilot of May/ });
  const options = dialog.getAllByRole('option');
  expect(chosen()).toBe(options[0]);
  await user.keyboard('{ArrowUp}');
  expect(chosen()).toBe(options.at(-1));
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(chosen()).toBe(options[1]);
  expect(dialog.getAllByRole('group').map((each) => each.getAttribute('aria-labelledby'))).toHaveLength(5);
});

it('opens from a field too, and says where nothing is found', async () => {
  signInAs('user');
  const { user } = visit('/survey-builder');
  const search = await screen.findByLabelText('Search surveys');
  await user.click(search);
  const { dialog } = await summon(user);
  await user.keyboard('zzz');
  expect(dialog.getByText('Nothing is called like this.')).toBeVisible();
  expect(search).toHaveValue('');
  await user.keyboard('{Enter}{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(search).toHaveFocus();
});

it('does things: begins a survey, shows the keys, changes the theme', async () => {
  server.get('/api/auth/settings', () => settings);
  server.put('/api/auth/settings', () => settings);
  signInAs('user');
  const { user } = await open();
  await user.keyboard('create s{Enter}');
  expect(await screen.findByRole('dialog', { name: 'Create Survey' })).toBeVisible();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  await summon(user);
  await user.keyboard('dark{Enter}');
  expect(document.documentElement.dataset.theme).toBe('dark');
  await summon(user);
  await user.keyboard('show the keys{Enter}');
  expect(await screen.findByRole('dialog', { name: 'Keyboard' })).toBeVisible();
});

it('is opened by the mouse, too', async () => {
  server.get('/api/auth/settings', () => settings);
  server.get('/api/auth/tokens', () => []);
  signInAs('user');
  const { user } = visit('/my-groups');
  await user.click(await screen.findByRole('button', { name: 'Go to' }));
  await user.click(within(await shownDialog()).getByRole('option', { name: 'Settings' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
});

it('beginnings of names come before what only holds the words', () => {
  const user: Session = { id: 2, name: null, email: 'grace@example.org', role: 'user' };
  const surveys = ['Life and coffee', 'Tea', 'Coffee at work'].map((title, id) => ({ ...survey, id, title }));
  const commands = placesOf(user, { surveys, runs: [run], groups: [{ ...group, isOwner: false }] });
  const sections = found(commands, 'coffee');
  expect(sections.find(({ section }) => section === 'Surveys')?.of.map(({ label }) => label)).toEqual([
    'Coffee at work',
    'Life and coffee',
  ]);
  expect(found(commands, 'mornings')[0]?.of[0]?.act).toEqual({ to: '/my-groups' });
  expect(found(commands, 'admin')).toEqual([]);
});
