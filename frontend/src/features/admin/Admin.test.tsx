import { screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { Persona } from '@/api/types';
import { run } from '@/testing/fixtures';
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

async function chooseFile(name: string) {
  server.get('/api/personas/count', () => ({ count: TWINS, source: `own file ${name}`, synthetic: false }));
  server.post('/api/personas/import/csv', () => ({ imported: 2, rejectedCount: 0, rejected: [] }));
  const user = await openTab('Personas');
  const file = new File(['pid,persona_summary\n1,One\n'], name, { type: 'text/csv' });
  await user.upload(screen.getByLabelText('Import CSV', { selector: 'input' }), file);
  return user;
}

/** The fields that were sent with the file. */
async function sentDataset() {
  expect(await screen.findByText('2 imported, 0 rejected')).toBeVisible();
  const sent = server.sent('post', '/api/personas/import/csv');
  expect(sent).toHaveLength(1);
  return /name="dataset"\r\n\r\n(.*)\r\n/.exec(String(sent[0]))?.[1];
}

it('an imported file is one’s own, and the page says so', async () => {
  const user = await chooseFile('panel.csv');
  expect(await screen.findByText(/Results call them “own file panel.csv”/)).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Import' }));
  expect(await sentDataset()).toBeUndefined();
  expect(screen.getByText(/digital twins from own file panel.csv/)).toBeVisible();
});

it('a file is called a data set only after it was asked for twice', async () => {
  const user = await chooseFile('twins.csv');
  await user.click(await screen.findByRole('checkbox', { name: /people of Twin-2K-500/ }));
  await user.click(screen.getByRole('button', { name: 'Import' }));
  expect(await screen.findByText('Is twins.csv Twin-2K-500?')).toBeVisible();
  expect(screen.getByText(/under their licence, CC BY 4.0/)).toBeVisible();
  expect(server.sent('post', '/api/personas/import/csv')).toHaveLength(0);
  await user.click(screen.getByRole('button', { name: 'Import as Twin-2K-500' }));
  expect(await sentDataset()).toBe('Twin-2K-500');
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

it('a failure to load twins is shown', async () => {
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

it('tab, search and page stand in the address, and how many requests wait on their tab', async () => {
  server.get('/api/access-requests', () => [
    { id: 1, email: 'a@b.org', status: 'pending', createdAt: '2026-01-01T09:00:00Z' } as never,
    { id: 2, email: 'c@d.org', status: 'approved', createdAt: '2026-01-01T09:00:00Z' } as never,
  ]);
  visit('/admin?tab=personas&q=25');
  expect(await screen.findByText('Twin 25')).toBeVisible();
  expect(screen.getByLabelText('Search personas')).toHaveValue('25');
  expect(await screen.findByTitle('1 waiting')).toBeVisible();
});

it('the purpose of a request is named as in the form that asked for it', async () => {
  const request = { email: 'a@b.org', status: 'pending', createdAt: '2026-01-01T09:00:00Z' };
  server.get('/api/access-requests', () => [
    { ...request, id: 1, purposeOfUse: 'teaching' } as never,
    { ...request, id: 2, purposeOfUse: 'old_purpose' } as never,
  ]);
  visit('/admin');
  expect(await screen.findByText('Teaching/Education')).toBeVisible();
  expect(screen.getByText('old purpose')).toBeVisible();
});

it('runs of everybody are listed in the queue, and paused there', async () => {
  server.get(
    '/api/simulations/queue/status',
    () => ({ queued: 4, running: 1, workers: [], modelServer: {} }) as never,
  );
  server.get('/api/simulations', () => [
    { ...run, status: 'RUNNING' as const, successfulRequests: 4, userId: 9, startedBy: 'Grace' },
    { ...run, simulationId: 'b', surveyTitle: 'Over' },
  ]);
  server.post('/api/simulations/{simulationId}/pause', () => ({}) as never);
  const { user } = visit('/admin?tab=queue');
  expect(await screen.findByText('Mornings, by Grace')).toBeVisible();
  expect(screen.queryByText('Over')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: /^Pause: / }));
  expect(await screen.findByText('Simulation paused')).toBeVisible();
  expect(server.sent('post', `/api/simulations/${run.simulationId}/pause`)).toHaveLength(1);
});
