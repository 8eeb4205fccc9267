import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { ModelServer } from '@/api/types';
import { signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';
import { headline, waitingWords } from './serverWords';

const price = { currency: 'USD', prompt: 400_000, cached: 100_000, completion: 1_600_000 };
const openai: ModelServer = {
  name: 'openai',
  wire: 'openai',
  host: 'api.openai.com',
  models: ['gpt-4.1-mini'],
  state: 'answering',
  reason: null,
  blockedUntil: null,
  limitRequests: 5000,
  limitTokens: null,
  limitConcurrency: 256,
  traffic: { requestsPerMinute: 1840, tokensPerMinute: 0, inFlight: 40, waitingCalls: 0, openRequests: 0 },
  hour: [{ minute: '2026-11-28T09:00:00Z', calls: 7 }],
  month: {
    runs: 61,
    cachedShare: 0.71,
    money: [
      {
        key: 'instance',
        spent: { amount: '248.700000', currency: 'USD' },
        saved: { amount: '212.400000', currency: 'USD' },
      },
      {
        key: 'group',
        spent: { amount: '2.000000', currency: 'USD' },
        saved: { amount: '1.000000', currency: 'USD' },
      },
    ],
  },
  medianSeconds: 1.1,
  prices: { 'gpt-4.1-mini': price },
  pricesAsOf: '2026-11-12',
  checks: [],
  checkCost: { amount: '0.020000', currency: 'USD' },
  checking: false,
  checkFailure: null,
};
const now = Date.parse('2026-11-28T10:00:00Z');
const slowed: ModelServer = {
  ...openai,
  name: 'anthropic',
  state: 'slowed',
  blockedUntil: '2026-11-28T10:03:00Z',
  traffic: { ...openai.traffic, openRequests: 1206 },
};
const dead: ModelServer = { ...slowed, name: 'gpu', state: 'out_of_order', blockedUntil: null };

it('a server that was never asked is not said to have room', () => {
  const unasked: ModelServer = { ...openai, name: 'gpu', state: 'not_asked' };
  expect(headline([unasked], now)).toBe('gpu has not been asked yet.');
  expect(headline([openai, unasked, dead], now)).toBe(
    'One of three servers has room, one has not been asked yet. gpu is out of order.',
  );
});

it('the headline says how many servers have room, and what keeps calls from the others', () => {
  expect(headline([openai], now)).toBe('openai has room.');
  expect(headline([slowed], now)).toBe('anthropic is at its limit for another 3 min.');
  expect(headline([openai, openai, openai], now)).toBe('All three servers have room.');
  expect(headline([openai, slowed, openai], now)).toBe(
    'Two of three servers have room. anthropic is at its limit for another 3 min.',
  );
  expect(headline([dead, { ...openai, state: 'no_key' }], now)).toBe(
    'None of two servers has room. gpu is out of order. openai has no key.',
  );
});

it('what waits is said only of servers that are held back', () => {
  expect(waitingWords([openai])).toBeNull();
  expect(waitingWords([openai, slowed])).toBe(
    '1,206 requests wait; nothing fails and nobody has to do anything.',
  );
  expect(waitingWords([dead])).toBe(
    '1,206 requests wait; nothing fails, and runs go on as soon as the server answers.',
  );
});

let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/access-requests', () => []);
  signInAs('super_admin');
});

it('each server has a card with its state, limits and money by key', async () => {
  server.get('/api/admin/model-servers', () => [openai, slowed]);
  visit('/admin?tab=servers');
  expect(
    await screen.findByRole('heading', { level: 2, name: /^One of two servers has room\. anthropic/ }),
  ).toBeVisible();
  expect(screen.getByText(/The caches spared \$426\.80 this month\./)).toBeVisible();
  const card = within(screen.getByRole('group', { name: 'openai' }));
  expect(card.getByText('Answering')).toBeVisible();
  expect(card.getByText('api.openai.com')).toBeVisible();
  expect(card.getByText('1,840', { selector: 'strong' }).parentElement).toHaveTextContent('1,840 of 5,000');
  expect(card.queryByText('Tokens a minute')).not.toBeInTheDocument();
  expect(card.getByText('spent this month, by groups’ keys')).toBeVisible();
  expect(card.getByText(/Price table of Nov 12, 2026\./)).toBeVisible();
  expect(card.getByText(/\$0\.40 in, \$0\.10 cached, \$1\.60 out/)).toBeVisible();
  expect(
    within(screen.getByRole('group', { name: 'anthropic' })).getByText('Slowed by its limit'),
  ).toBeVisible();
});

it('a check is begun for one server or for all, and what it found stands in a table', async () => {
  const check: ModelServer['checks'][number] = {
    model: 'gpt-4.1-mini',
    wire: 'openai',
    checkedAt: '2026-11-28T09:30:00Z',
    findings: [
      { name: 'schema', verdict: 'works', detail: 'asked for prose, the model kept to the schema' },
      { name: 'seed', verdict: 'no_effect', detail: 'the same seed drew 12, 80, 47' },
    ],
    calls: 24,
    tokens: 21_480,
    cost: { amount: '0.004100', currency: 'USD' },
  };
  const begun: string[] = [];
  server.get('/api/admin/model-servers', () => [
    { ...openai, checks: [check] },
    { ...slowed, checking: true },
    { ...dead, checkFailure: 'llama does not answer' },
  ]);
  server.post('/api/admin/model-servers/{name}/check', ({ params }) => {
    begun.push(params.name ?? '');
    return { models: [] };
  });
  visit('/admin?tab=servers');
  const card = within(await screen.findByRole('group', { name: 'openai' }));
  fireEvent.click(card.getByRole('button', { name: 'Check' }));
  await waitFor(() => expect(begun).toEqual(['openai']));
  fireEvent.click(screen.getByRole('button', { name: 'Check all, about $0.04' }));
  await waitFor(() => expect(begun).toEqual(['openai', 'openai', 'gpu']));
  expect(screen.getByText('The last check found nothing out: llama does not answer')).toBeVisible();
  const table = within(screen.getByRole('region', { name: 'What each model can do' }));
  expect(table.getByText('Works')).toBeVisible();
  expect(table.getByText('Sent, without effect')).toBeVisible();
  fireEvent.click(table.getByRole('button', { name: /expand row/i }));
  expect(await table.findByText('Sent, without effect: the same seed drew 12, 80, 47')).toBeVisible();
  expect(table.getByText(/24 calls, 21,480 tokens, \$0\.0041, no credits\./)).toBeVisible();
});

it('a failure to load the servers is shown', async () => {
  server.break('get', '/api/admin/model-servers');
  visit('/admin?tab=servers');
  expect(await screen.findByText('Failed to load the model servers')).toBeVisible();
});
