import { screen } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { group, member } from '@/testing/fixtures';
import { shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups', () => [group]);
  server.get('/api/groups/{groupId}', () => group);
  server.get('/api/groups/{groupId}/members', () => [member]);
  signInAs('super_admin');
});

describe('a group', () => {
  it('that cannot be created leaves its form open and says so', async () => {
    server.break('post', '/api/groups');
    const { user } = visit('/groups');
    await user.click(await screen.findByRole('button', { name: 'Add Group' }));
    await user.type(await screen.findByLabelText('Group Name'), 'Evenings');
    await user.type(screen.getByLabelText('Owner Email'), 'ada@example.org');
    await user.click(screen.getByRole('button', { name: 'Create Group' }));
    expect(await screen.findByText('Failed to create group')).toBeVisible();
    expect(screen.getByLabelText('Group Name')).toHaveValue('Evenings');
  });

  it('that is refused says so first, and why after it', async () => {
    server.post('/api/groups', () => refusal(409, 'A group of this name exists'));
    const { user } = visit('/groups');
    await user.click(await screen.findByRole('button', { name: 'Add Group' }));
    await user.type(await screen.findByLabelText('Group Name'), 'Evenings');
    await user.type(screen.getByLabelText('Owner Email'), 'ada@example.org');
    await user.click(screen.getByRole('button', { name: 'Create Group' }));
    expect(await screen.findByText('Failed to create group: a group of this name exists')).toBeVisible();
  });

  it('that cannot be changed says so', async () => {
    server.break('patch', '/api/groups/{groupId}');
    const { user } = visit('/groups');
    await user.click(await screen.findByRole('button', { name: 'Edit Group' }));
    await user.click(await screen.findByRole('button', { name: 'Save Changes' }));
    expect(await screen.findByText('Failed to update group')).toBeVisible();
  });
});

describe('managing members', () => {
  const open = () => visit('/groups/4/manage-members');

  it('tells which part could not be loaded', async () => {
    server.break('get', '/api/groups/{groupId}');
    server.break('get', '/api/groups/{groupId}/members');
    open();
    expect(await screen.findByText('Failed to load group information')).toBeVisible();
    expect(await screen.findByText('Failed to load members')).toBeVisible();
  });

  it('shows the words of a server that refuses a new member', async () => {
    server.post('/api/groups/{groupId}/members', () => refusal(409, 'Already a member'));
    const { user } = open();
    await user.type(await screen.findByLabelText('E-mail'), 'grace@example.org');
    await user.click(screen.getByRole('button', { name: 'Add Member' }));
    expect(await screen.findByText('Already a member')).toBeVisible();
  });

  it('wants members chosen before it adds funds', async () => {
    open();
    expect(await screen.findByText('Please select at least one member')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Add Funds' })).toBeDisabled();
  });

  it('adds to the budgets that were read, and tells when it failed', async () => {
    server.break('patch', '/api/groups/{groupId}/members/budgets');
    const { user } = open();
    await user.click(await screen.findByLabelText('Select grace@example.org'));
    await user.type(screen.getByLabelText('Amount to Add'), '50');
    await user.click(screen.getByRole('button', { name: 'Add Funds' }));
    expect(await screen.findByText('Failed to update budgets')).toBeVisible();
    expect(server.sent('patch', '/api/groups/4/members/budgets')).toEqual([
      [{ userId: 2, budget: 750, expectedBudget: 700 }],
    ]);
  });

  it('tells that a budget could not be set', async () => {
    server.break('patch', '/api/groups/{groupId}/members/{userId}/budget');
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Edit Budget' }));
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('Failed to update budget')).toBeVisible();
  });

  it('removes a member when that is confirmed', async () => {
    server.delete('/api/groups/{groupId}/members/{userId}', () => new Response(null, { status: 204 }));
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Remove Member' }));
    const confirm = await shownDialog();
    expect(confirm).toHaveTextContent('grace@example.org');
    await user.click((await screen.findAllByRole('button', { name: 'Remove Member' })).at(-1) as HTMLElement);
    expect(await screen.findByText('Member removed successfully!')).toBeVisible();
  });

  it('tells that a member could not be removed', async () => {
    server.break('delete', '/api/groups/{groupId}/members/{userId}');
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Remove Member' }));
    await shownDialog();
    await user.click((await screen.findAllByRole('button', { name: 'Remove Member' })).at(-1) as HTMLElement);
    expect(await screen.findByText('Failed to remove user')).toBeVisible();
  });
});
