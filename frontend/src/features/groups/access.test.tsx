import { screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { group, member } from '@/testing/fixtures';
import { shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

const others = { ...group, isOwner: false, ownerEmail: 'grace@example.org' };
let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups', () => [others]);
  server.get('/api/groups/{groupId}', () => others);
  server.get('/api/groups/{groupId}/members', () => [member]);
});

it('a member is told whose business the members are', async () => {
  signInAs('user');
  visit('/groups/4/manage-members');
  expect(await screen.findByText("Only the group's owner manages its members")).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Edit Budget' })).not.toBeInTheDocument();
});

it('a super admin manages the members of groups that others own', async () => {
  signInAs('super_admin');
  visit('/groups/4/manage-members');
  expect(await screen.findByRole('button', { name: 'Edit Budget' })).toBeVisible();
});

it('the dashboard leads a super admin to the form of a new group, and the form away from the address', async () => {
  signInAs('super_admin');
  const { user, router } = visit('/dashboard');
  await user.click(await screen.findByRole('link', { name: 'Create Group' }));
  expect(await shownDialog()).toHaveTextContent('Create New Group');
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(router.state.location).toMatchObject({ pathname: '/groups', search: '' });
});
