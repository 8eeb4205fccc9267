import { screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { Persona } from '@/api/types';
import { signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

const TWINS = 25;
const twin = (id: number): Persona => ({
  id,
  pid: String(id),
  name: `Twin ${id}`,
  description: 'Female, 30-49',
  attributes: {},
});
const twins = Array.from({ length: TWINS }, (_, index) => twin(index + 1));
let server: ReturnType<typeof mockServer>;

/** A page of these, as the server cuts it. */
function pageOf(list: Persona[], query: URLSearchParams): Response {
  const from = Number(query.get('offset'));
  const rows = list.slice(from, from + Number(query.get('limit')));
  return Response.json(rows, { headers: { 'X-Total-Count': String(list.length) } });
}

beforeEach(() => {
  server = mockServer();
  server.get('/api/access-requests', () => []);
  server.get('/api/personas', ({ query }) => pageOf(twins, query));
  server.get('/api/personas/search', ({ query }) =>
    pageOf(query.get('q') === '25' ? twins.slice(24) : [], query),
  );
  server.get('/api/personas/count', () => ({ count: TWINS, synthetic: false }));
  signInAs('super_admin');
});

async function openTab(name: string) {
  const { user } = visit('/admin');
  await user.click(await screen.findByRole('tab', { name }));
  return user;
}

it('every twin can be reached, page by page', async () => {
  const user = await openTab('Personas');
  expect(await screen.findByText('1 to 10 of 25 personas')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Page 3' }));
  expect(await screen.findByText('Twin 25')).toBeVisible();
});

it('a search shows the twins that it finds, or that there are none', async () => {
  const user = await openTab('Personas');
  const field = screen.getByLabelText('Search personas');
  await user.type(field, '25{Enter}');
  expect(await screen.findByText('Twin 25')).toBeVisible();
  expect(screen.queryByText('Twin 1')).not.toBeInTheDocument();
  await user.type(field, 'x{Enter}');
  expect(await screen.findByText('No digital twin matches this search')).toBeVisible();
});

it('twins that cannot be loaded are told of', async () => {
  server.break('get', '/api/personas');
  await openTab('Personas');
  expect(await screen.findByText('Failed to load personas')).toBeVisible();
});

it('an empty queue has no oldest interview', async () => {
  server.get('/api/simulations/queue/status', () => ({
    queued: 0,
    running: 0,
    oldestSeconds: 0,
    workers: [],
    modelServer: { model: 'twinlab-demo', demoModel: true, blockedUntil: null, reason: null },
  }));
  await openTab('Queue and Workers');
  expect(await screen.findByText(/interviews waiting/)).toHaveTextContent(
    /^0 interviews waiting, 0 running$/,
  );
});
