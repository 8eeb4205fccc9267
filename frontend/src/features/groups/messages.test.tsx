import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { group, member, run, survey } from '@/testing/fixtures';
import { fill, shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

let server: ReturnType<typeof mockServer>;
/** The spending of a member of the group. */
const used = {
  userId: 2,
  email: 'grace@example.org',
  status: 'active' as const,
  budget: 700,
  held: 0,
  spent: 1300,
  runs: 4,
  cost: [],
  costByGroupKeys: [],
};

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups', () => [group]);
  server.get('/api/groups/{groupId}', () => group);
  server.get('/api/groups/{groupId}/members', () => [member]);
  server.get('/api/groups/{groupId}/usage', () => []);
  signInAs('super_admin');
});

describe('a group', () => {
  it('that cannot be created leaves its form open and says so', async () => {
    server.break('post', '/api/groups');
    const { user } = visit('/groups');
    await user.click(await screen.findByRole('button', { name: 'Add Group' }));
    await fill(user, await screen.findByLabelText('Group Name'), 'Evenings');
    await fill(user, screen.getByLabelText('Owner Email'), 'ada@example.org');
    await user.click(screen.getByRole('button', { name: 'Create Group' }));
    expect(await screen.findByText('Failed to create group')).toBeVisible();
    expect(screen.getByLabelText('Group Name')).toHaveValue('Evenings');
  });

  it('that is refused says so first, and why after it', async () => {
    server.post('/api/groups', () => refusal(409, 'A group of this name exists'));
    const { user } = visit('/groups');
    await user.click(await screen.findByRole('button', { name: 'Add Group' }));
    await fill(user, await screen.findByLabelText('Group Name'), 'Evenings');
    await fill(user, screen.getByLabelText('Owner Email'), 'ada@example.org');
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

  it('keeps the page and the search of the members in the address', async () => {
    server.get('/api/groups/{groupId}/members', () =>
      Array.from({ length: 60 }, (_, index) => ({
        ...member,
        userId: index + 1,
        user: { ...member.user, name: null, email: `person${index + 1}@example.org` },
      })),
    );
    const { user, router } = visit('/groups/4/manage-members?page=2');
    expect(await screen.findByText('person60@example.org')).toBeVisible();
    expect(screen.queryByText('person1@example.org')).not.toBeInTheDocument();
    await fill(user, screen.getByLabelText('Search members'), 'person7@');
    expect(await screen.findByText('person7@example.org')).toBeVisible();
    await waitFor(() => expect(router.state.location.search).toBe('?q=person7%40'));
  });

  it('keeps the page of the runs in the address', async () => {
    server.get('/api/simulations', () =>
      Array.from({ length: 21 }, (_, index) => ({
        ...run,
        simulationId: `run-${index}`,
        name: `Run ${index}`,
      })),
    );
    const { user, router } = visit('/groups/4/manage-members?tab=runs&page=2');
    expect(await screen.findByText('Run 20')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Page 1' }));
    expect(await screen.findByText('Run 0')).toBeVisible();
    expect(router.state.location.search).toBe('?tab=runs');
  });

  it.each([
    ['in the words of the server', () => refusal(409, 'Already a member'), 'Already a member'],
    ['where the server has none', () => refusal(500, ''), 'Internal server error'],
    [
      'where no server answers',
      () => Promise.reject(new TypeError('Failed to fetch')),
      'The server cannot be reached',
    ],
  ])('tells why a member could not be added: %s', async (_, answer, shown) => {
    server.post('/api/groups/{groupId}/members', answer);
    const { user } = open();
    await fill(user, await screen.findByLabelText('E-mail'), 'grace@example.org');
    await user.click(screen.getByRole('button', { name: 'Add Member' }));
    expect(await screen.findByText(shown)).toBeVisible();
  });

  it('wants members chosen before it adds funds', async () => {
    open();
    expect(await screen.findByText('Please select at least one member')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Add Funds' })).toBeDisabled();
  });

  it('adds funds by entries of the ledger, and tells when it failed', async () => {
    server.break('post', '/api/transactions/bulk');
    const { user } = open();
    await user.click(await screen.findByLabelText('Select grace@example.org'));
    await user.type(screen.getByLabelText('Amount to Add'), '50');
    await user.click(screen.getByRole('button', { name: 'Add Funds' }));
    expect(await screen.findByText('Failed to update budgets')).toBeVisible();
    server.post('/api/transactions/bulk', () => []);
    await user.click(screen.getByRole('button', { name: 'Add Funds' }));
    expect(await screen.findByText('1 member(s) budget increased by 50 successfully!')).toBeVisible();
    const entry = { groupId: 4, userId: 2, type: 'ADD', amount: 50 };
    expect(server.sent('post', '/api/transactions/bulk')).toEqual([
      { transactions: [entry] },
      { transactions: [entry] },
    ]);
  });

  it('adds a pasted class: the new ones, and names who is refused', async () => {
    server.post('/api/groups/{groupId}/members/bulk', () => [
      { email: 'a@x.org', added: true },
      { email: 'b@x.org', added: false, reason: 'Deleted account' },
    ]);
    const { user } = open();
    await user.click(await screen.findByLabelText('E-mail'));
    await user.paste('a@x.org, b@x.org\ngrace@example.org\nBob');
    const dialog = within(await shownDialog());
    expect(await dialog.findByText('2 new, 1 known, 1 invalid')).toBeVisible();
    await user.click(dialog.getByRole('button', { name: 'Add 2 Members' }));
    expect(await dialog.findByText('b@x.org: Deleted account')).toBeVisible();
    expect(screen.getByText('1 member added successfully!')).toBeInTheDocument();
    expect(server.sent('post', '/api/groups/4/members/bulk')).toMatchObject([
      { emails: ['a@x.org', 'b@x.org'] },
    ]);
  });

  it('tells what each has spent, when they ran last and who is short of credits', async () => {
    server.get('/api/groups/{groupId}/members', () => [
      { ...member, available: 99 },
      { ...member, id: 12, userId: 3, user: { ...member.user, id: 3, email: 'ida@example.org' } },
    ]);
    server.get('/api/groups/{groupId}/usage', () => [
      { ...used, lastRunAt: '2026-01-01T09:00:00Z' },
      { ...used, userId: 3, email: 'ida@example.org', spent: 0 },
    ]);
    open();
    const row = async (email: string) =>
      within((await screen.findByText(email)).closest('tr') as HTMLTableRowElement);
    const grace = await row('grace@example.org');
    expect(await grace.findByText('1,300')).toBeVisible();
    expect(grace.getByText('Jan 1, 2026')).toBeVisible();
    expect(grace.getByText('Low credit')).toBeVisible();
    expect((await row('ida@example.org')).queryByText('Low credit')).not.toBeInTheDocument();
  });

  it('suspends a member when that is confirmed', async () => {
    server.patch('/api/groups/{groupId}/members/{userId}/status', () => ({ ...member, status: 'suspended' }));
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Suspend' }));
    const confirm = await shownDialog();
    expect(confirm).toHaveTextContent('grace@example.org');
    expect(server.calls.filter(({ method }) => method === 'patch')).toEqual([]);
    await user.click(within(confirm).getByRole('button', { name: 'Suspend' }));
    expect(await screen.findByText('Member suspended successfully!')).toBeVisible();
  });

  it('leaves the editing of a budget by Escape', async () => {
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Edit Budget' }));
    await user.keyboard('{Escape}');
    expect(screen.queryByLabelText('Budget of grace@example.org')).not.toBeInTheDocument();
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

it('the surveys of a group are shown to its owner, private ones of its members, too, and lead to their questions', async () => {
  signInAs('admin');
  const others = { ...survey, id: 8, title: 'Tea', userId: 2, visibility: 'PRIVATE' as const };
  const elsewhere = { ...survey, id: 9, title: 'Milk', groupId: 5 };
  server.get('/api/groups/my', () => [group]);
  server.get('/api/surveys/my', ({ query }) =>
    query.get('shared') === 'true' ? [survey, others, elsewhere] : [survey],
  );
  visit('/groups/4/manage-members?tab=surveys');
  const row = (await screen.findByText('Tea')).closest('tr') as HTMLElement;
  expect(within(row).getByText('Private')).toBeVisible();
  expect(within(row).getByRole('link', { name: 'Open' })).toHaveAttribute('href', '/surveys/8');
  expect(screen.getByText('Coffee')).toBeVisible();
  expect(screen.queryByText('Milk')).not.toBeInTheDocument();
});

describe('the runs of a group', () => {
  it('are paused and retried by its owner', async () => {
    server.get('/api/simulations', ({ query }) =>
      query.get('groupId') === '4'
        ? [
            { ...run, name: 'First try', status: 'RUNNING' as const, simulationId: '1' },
            { ...run, failedRequests: 2, status: 'FAILED' as const, simulationId: '2' },
          ]
        : [],
    );
    server.post('/api/simulations/{simulationId}/pause', () => ({ ...run, status: 'PAUSED' as const }));
    server.break('post', '/api/simulations/retry-failed/{simulationId}');
    const { user } = visit('/groups/4/manage-members?tab=runs');
    await user.click(await screen.findByRole('button', { name: 'Pause: First try' }));
    expect(await screen.findByText('Simulation paused')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Retry Failed: Coffee' }));
    expect(await screen.findByText(/Failed to retry failed requests/)).toBeVisible();
    expect(server.sent('post', '/api/simulations/retry-failed/2')).toEqual([{ surveyId: 3 }]);
  });

  it('are stopped by its owner once the question is answered, and go on', async () => {
    const runs = [
      { ...run, status: 'RUNNING' as const, successfulRequests: 4, simulationId: '1' },
      { ...run, name: 'Second try', status: 'STOPPED' as const, successfulRequests: 3, simulationId: '2' },
    ];
    server.get('/api/simulations', ({ query }) => (query.get('groupId') === '4' ? runs : []));
    server.post('/api/simulations/{simulationId}/stop', () => ({ ...run, status: 'STOPPED' as const }));
    server.post('/api/simulations/{simulationId}/continue', () => ({ ...run, status: 'QUEUED' as const }));
    const { user } = visit('/groups/4/manage-members?tab=runs');
    await user.click(await screen.findByRole('button', { name: 'Stop: Coffee' }));
    const dialog = within(await shownDialog());
    expect(dialog.getByText(/4 of 10 answered; the rest is given up, 6 credits come back/)).toBeVisible();
    expect(server.sent('post', '/api/simulations/1/stop')).toHaveLength(0);
    await user.click(dialog.getByRole('button', { name: 'Stop' }));
    expect(await screen.findByText('Simulation stopped')).toBeVisible();
    expect(server.sent('post', '/api/simulations/1/stop')).toHaveLength(1);
    await user.click(screen.getByRole('button', { name: 'Continue (7 open): Second try' }));
    expect(await screen.findByText('Simulation continued')).toBeVisible();
    expect(server.sent('post', '/api/simulations/2/continue')).toHaveLength(1);
  });

  it('and what it has used have addresses of their own', async () => {
    server.get('/api/groups/{groupId}/usage', () => [used]);
    const { user, router } = visit('/groups/4/manage-members');
    await user.click(await screen.findByRole('tab', { name: 'Usage' }));
    expect(await screen.findByText(/1,300 credits spent by 4 runs/)).toBeVisible();
    expect(router.state.location.search).toBe('?tab=usage');
    expect(screen.queryByText(/credits are granted/)).not.toBeInTheDocument();
  });

  it('name who is short of credits, and what the calls have cost where that is known', async () => {
    const cost = [{ amount: '1.374200', currency: 'USD' }];
    server.get('/api/groups/{groupId}/usage', () => [
      { ...used, budget: 150, held: 60, cost },
      { ...used, userId: 3, email: 'ida@example.org' },
    ]);
    visit('/groups/4/manage-members?tab=usage');
    const row = async (email: string) =>
      within((await screen.findByText(email)).closest('tr') as HTMLTableRowElement);
    expect((await row('grace@example.org')).getByText('Low credit')).toBeVisible();
    expect((await row('grace@example.org')).getByText('$1.37')).toBeVisible();
    expect((await row('ida@example.org')).queryByText('Low credit')).not.toBeInTheDocument();
  });

  it('say how much of its ceiling is left', async () => {
    server.get('/api/groups/{groupId}', () => ({ ...group, creditCeiling: 2500, creditsGranted: 2000 }));
    server.get('/api/groups/{groupId}/usage', () => [used]);
    visit('/groups/4/manage-members?tab=usage');
    const sentence = await screen.findByText(/credits are granted/);
    expect(sentence).toHaveTextContent('2,000 of at most 2,500 credits are granted: 500 more can be.');
  });
});
