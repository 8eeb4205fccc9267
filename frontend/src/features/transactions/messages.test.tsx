import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { group, member } from '@/testing/fixtures';
import { fill, signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

const LIST = '/api/transactions/user-groups';
const entry = {
  id: 1,
  type: 'ADD',
  amount: '250',
  effect: 250,
  balance: 250,
  description: 'Funds added',
  groupId: 4,
  userId: 2,
  createdAt: '2026-01-01T09:00:00Z',
  updatedAt: '2026-01-01T09:00:00Z',
};
let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get(LIST, () => [{ ...entry, groupUser: member }]);
  server.get(`${LIST}/stats`, () => ({
    count: 1,
    totalAdded: 250,
    totalUsed: 0,
    totalSet: 0,
    net: 250,
    cost: [],
    costByGroupKeys: [],
  }));
  signInAs('user');
});

it('what is looked at stands in the address', async () => {
  const asked: string[] = [];
  server.get(LIST, ({ query }) => {
    asked.push(query.toString());
    return [{ ...entry, groupUser: member }];
  });
  const { user, router } = visit('/transactions?type=ADD&from=2026-01-01&q=funds&page=2');
  expect(await screen.findByText('Funds added')).toBeVisible();
  expect(asked).toEqual(['type=ADD&q=funds&from=2026-01-01&sort=date&order=desc&limit=25&offset=25']);
  expect(screen.getByLabelText('Search transactions')).toHaveValue('funds');
  await user.clear(screen.getByLabelText('Search transactions'));
  expect(router.state.location.search).toBe('?type=ADD&from=2026-01-01');
});

it('the whole of what the filters leave is summed, and had as a file', async () => {
  server.get(`${LIST}/export.csv`, () => new Response('id'));
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:file');
  const { user } = visit('/transactions?type=ADD');
  expect(await screen.findByText(/Of all 1: added \$250, used \$0/)).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Download CSV' }));
  await waitFor(() => expect(saved).toHaveBeenCalledOnce());
});

it('the ledger tells that it could not be loaded', async () => {
  server.break('get', LIST);
  visit('/transactions');
  expect(await screen.findByText('Failed to load transactions')).toBeVisible();
});

it('an empty ledger says so', async () => {
  server.get(LIST, () => []);
  visit('/transactions');
  expect(await screen.findByText('No transactions have been recorded yet.')).toBeVisible();
});

it('an entry whose member is gone names nobody', async () => {
  server.get(LIST, () => [entry]);
  visit('/transactions');
  expect(await screen.findByText('Unknown User')).toBeVisible();
  expect(screen.getByText('Unknown Group')).toBeVisible();
});

it('an address in place of a name is shown once', async () => {
  visit('/transactions');
  expect(await screen.findAllByText(member.user.email)).toHaveLength(1);
});

it('the server is asked for what the filters leave', async () => {
  server.get(LIST, ({ query }) => (query.get('q') === 'mining' ? [] : [{ ...entry, groupUser: member }]));
  const { user } = visit('/transactions');
  expect(await screen.findByText('Funds added')).toBeVisible();
  await fill(user, screen.getByLabelText('Search transactions'), 'mining');
  expect(await screen.findByText('Try adjusting your filters to see more results.')).toBeVisible();
});

it('loading tells how many there are, once', async () => {
  const { user } = visit('/transactions');
  expect(await screen.findByText('Loaded 1 transactions')).toBeVisible();
  await fill(user, screen.getByLabelText('Search transactions'), 'funds');
  await expect.poll(() => server.sent('get', LIST).length).toBeGreaterThan(1);
  expect(screen.getAllByText('Loaded 1 transactions')).toHaveLength(1);
});

it('refreshing tells how many there are', async () => {
  const { user } = visit('/transactions');
  await screen.findByText('Funds added');
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(await screen.findByText('Loaded 1 transactions')).toBeVisible();
});

it('what a refresh had asked for is not put under a filter that was typed meanwhile', async () => {
  const { user } = visit('/transactions');
  expect(await screen.findByText('Funds added')).toBeVisible();
  let answer: (rows: object[]) => void = () => undefined;
  const rows = [{ ...entry, groupUser: member }];
  server.get(LIST, ({ query }) =>
    query.has('q') ? [] : (new Promise<object[]>((resolve) => (answer = resolve)) as never),
  );
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  await fill(user, screen.getByLabelText('Search transactions'), 'none');
  expect(await screen.findByText('Try adjusting your filters to see more results.')).toBeVisible();
  answer(rows);
  await waitFor(() => expect(screen.getByRole('button', { name: 'Refresh' })).toBeEnabled());
  expect(screen.getByText('Try adjusting your filters to see more results.')).toBeVisible();
});
