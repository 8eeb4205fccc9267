import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { group, member, run, survey } from '@/testing/fixtures';
import { shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

const others = { ...group, isOwner: false, ownerEmail: 'grace@example.org' };
let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups', () => [others]);
  server.get('/api/groups/my', () => [group]);
  server.get('/api/groups/{groupId}', () => others);
  server.get('/api/groups/{groupId}/members', () => [member]);
  server.get('/api/groups/{groupId}/usage', () => []);
});

it('a member learns who manages the members', async () => {
  signInAs('user');
  visit('/groups/4/manage-members');
  expect(await screen.findByText("Only the group's owner manages its members")).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Edit Budget' })).not.toBeInTheDocument();
});

it('a member sees nothing of the form before it is known whether they may manage the group', async () => {
  let tell: () => void = () => undefined;
  const known = new Promise<undefined>((resolve) => {
    tell = () => resolve(undefined);
  });
  server.get('/api/groups/{groupId}', async () => {
    await known;
    return others;
  });
  signInAs('user');
  visit('/groups/4/manage-members');
  expect(await screen.findByText('Loading members...')).toBeVisible();
  await waitFor(() => expect(server.calls.some(({ path }) => path === '/api/groups/4/members')).toBe(true));
  expect(screen.queryByText('Add New Member')).not.toBeInTheDocument();
  tell();
  expect(await screen.findByText("Only the group's owner manages its members")).toBeVisible();
});

it('a super admin opens the results of a survey of the group, and no page that sends them away', async () => {
  server.get('/api/surveys/my', ({ query }) =>
    query.get('shared') === 'true'
      ? [
          { ...survey, simulationId: run.simulationId },
          { ...survey, id: 5, title: 'Milk' },
        ]
      : [],
  );
  signInAs('super_admin');
  visit('/groups/4/manage-members?tab=surveys');
  const row = async (title: string) =>
    within((await screen.findByText(title)).closest('tr') as HTMLTableRowElement);
  const link = (await row('Coffee')).getByRole('link', { name: 'Results' });
  expect(link).toHaveAttribute('href', '/simulation-history?survey=3');
  expect((await row('Milk')).getByText('No runs yet')).toBeVisible();
  expect(screen.queryByRole('link', { name: 'Open' })).not.toBeInTheDocument();
});

it('a super admin manages the members of groups that others own', async () => {
  signInAs('super_admin');
  visit('/groups/4/manage-members');
  expect(await screen.findByRole('button', { name: 'Edit Budget' })).toBeVisible();
});

it('an admin changes their own group: its name, its budget, whether it is open, and what it allows', async () => {
  server.patch('/api/groups/{groupId}', () => group);
  signInAs('admin');
  const { user } = visit('/my-groups');
  await user.click(await screen.findByRole('button', { name: 'Edit Group' }));
  await shownDialog();
  await user.type(screen.getByLabelText('Group Name'), ' II');
  await user.click(screen.getByRole('switch', { name: 'Open' }));
  await user.click(screen.getByRole('switch', { name: 'Allow full profiles' }));
  await user.click(screen.getByRole('button', { name: 'Save Changes' }));
  await expect
    .poll(() => server.sent('patch', '/api/groups/4'))
    .toEqual([
      {
        group_name: 'Mornings II',
        default_budget_per_user: 500,
        status: 'closed',
        allowFullPersonas: false,
        allowSingleQuestionCalls: true,
      },
    ]);
});

it("a new member's budget starts as the group's default, and is left to it where it is emptied", async () => {
  server.post('/api/groups/{groupId}/members', () => Response.json(member, { status: 201 }));
  server.get('/api/groups/{groupId}', () => group);
  signInAs('admin');
  const { user } = visit('/groups/4/manage-members');
  const budget = await screen.findByLabelText('Default Budget');
  await waitFor(() => expect(budget).toHaveValue('500'));
  const add = async (email: string) => {
    await user.type(screen.getByLabelText('E-mail'), email);
    await user.click(screen.getByRole('button', { name: 'Add Member' }));
    await waitFor(() => expect(screen.getByLabelText('E-mail')).toHaveValue(''));
  };
  await add('one@example.org');
  await user.clear(budget);
  await add('two@example.org');
  expect(server.sent('post', '/api/groups/4/members')).toEqual([
    { email: 'one@example.org', budget: 500 },
    { email: 'two@example.org' },
  ]);
});

it('the dashboard leads a super admin to the form of a new group, and the form away from the address', async () => {
  signInAs('super_admin');
  const { user, router } = visit('/dashboard');
  await user.click(await screen.findByRole('link', { name: 'Create Group' }));
  expect(await shownDialog()).toHaveTextContent('Create New Group');
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(router.state.location).toMatchObject({ pathname: '/groups', search: '' });
});

it('a super admin sets how many credits a group may be granted, and takes the ceiling away', async () => {
  server.get('/api/groups', () => [{ ...group, creditCeiling: 900 }]);
  server.patch('/api/groups/{groupId}', () => group);
  signInAs('super_admin');
  const { user } = visit('/groups');
  const save = async (ceiling: string) => {
    await user.click(await screen.findByRole('button', { name: 'Edit Group' }));
    const field = within(await shownDialog()).getByLabelText('Credit Ceiling');
    await user.clear(field);
    if (ceiling !== '') await user.type(field, ceiling);
    await user.click(screen.getByRole('button', { name: 'Save Changes' }));
  };
  await save('2500');
  await expect
    .poll(() => server.sent('patch', '/api/groups/4').at(-1))
    .toMatchObject({ creditCeiling: 2500 });
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  await save('');
  await expect
    .poll(() => server.sent('patch', '/api/groups/4').at(-1))
    .toMatchObject({ creditCeiling: null });
});
