import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { Money, Simulation } from '@/api/types';
import { factsOf, group, progress, question, run, survey } from '@/testing/fixtures';
import { shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

let server: ReturnType<typeof mockServer>;
const PATH = `/api/simulations/${run.simulationId}`;
const price = { currency: 'USD', prompt: 400_000, cached: 100_000, completion: 1_600_000 };
const usd = (amount: string): Money => ({ amount, currency: 'USD' });
const paused: Simulation = {
  ...run,
  status: 'PAUSED',
  completedAt: null,
  successfulRequests: 4,
  parameters: { ...run.parameters, price },
};

/** A run's page; the run has cost `cost` and may cost `maxCost`. */
function open(shown: Simulation, cost: Money | null, maxCost: Money | null, tab = '') {
  server.get('/api/simulations/{simulationId}', () => ({ ...factsOf(shown), cost, maxCost }));
  return visit(`/simulation-responses/3/${run.simulationId}${tab}`);
}

beforeEach(() => {
  server = mockServer();
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [question] }));
  server.get('/api/surveys/{surveyId}/questions', () => [question]);
  server.get('/api/groups/my', () => [group]);
  server.get('/api/simulations/{simulationId}/live-progress', () => ({
    ...progress,
    simulationStatus: 'PAUSED' as const,
    status: 'PAUSED' as const,
  }));
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/responses/matrix', () => []);
  server.patch('/api/simulations/{simulationId}', () => paused);
  server.post('/api/simulations/{simulationId}/resume', () => ({ ...paused, status: 'QUEUED' as const }));
  server.post('/api/simulations/{simulationId}/continue', () => ({ ...paused, status: 'QUEUED' as const }));
  signInAs('user');
});

it('a run that has cost what it may goes on once its cap is raised', async () => {
  const { user } = open(paused, usd('1.004200'), usd('1.000000'));
  expect(await screen.findByText(/paid for calls, at most \$1\.00/)).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Raise the cap…' }));
  expect(screen.queryByRole('button', { name: 'Resume' })).not.toBeInTheDocument();
  const dialog = within(await shownDialog());
  expect(dialog.getByText(/Its calls have cost \$1\.00 so far/)).toBeVisible();
  const cap = dialog.getByLabelText('Stop paying at');
  expect(cap).toHaveValue('2.01');
  await user.clear(cap);
  await user.type(cap, '1');
  expect(dialog.getByText('It has cost that much already')).toBeVisible();
  expect(dialog.getByRole('button', { name: 'Raise and resume' })).toBeDisabled();
  await user.clear(cap);
  await user.type(cap, '5.5');
  await user.click(dialog.getByRole('button', { name: 'Raise and resume' }));
  expect(await screen.findByText('Simulation resumed')).toBeVisible();
  expect(server.sent('patch', PATH)).toEqual([{ maxCost: 5.5 }]);
  expect(server.sent('post', `${PATH}/resume`)).toHaveLength(1);
});

it('a stopped one goes on likewise, without a cap where none is given', async () => {
  const { user } = open({ ...paused, status: 'STOPPED' }, usd('3.000000'), usd('3.000000'));
  await user.click(await screen.findByRole('button', { name: 'Raise the cap…' }));
  const dialog = within(await shownDialog());
  await user.clear(dialog.getByLabelText('Stop paying at'));
  await user.click(dialog.getByRole('button', { name: 'Raise and continue' }));
  expect(await screen.findByText('Simulation continued')).toBeVisible();
  expect(server.sent('patch', PATH)).toEqual([{ maxCost: null }]);
});

it('one with the same twins has the same cap', async () => {
  server.get('/api/simulations/{simulationId}/personas', () => [
    { personaId: 4, personaPid: '4', personaName: 'Twin 4', attributes: {} } as never,
  ]);
  server.post('/api/simulations/survey/{surveyId}/start', () => refusal(409, 'Not now'));
  const { user } = open({ ...paused, status: 'STOPPED' }, usd('0.100000'), usd('2.500000'));
  await screen.findByText(/paid for calls, at most/);
  await user.click(screen.getByRole('button', { name: 'Run again with the same twins' }));
  await user.click(within(await shownDialog()).getByRole('button', { name: /^Start for/ }));
  expect(await screen.findByText('Failed to start simulation: not now')).toBeVisible();
  expect(server.sent('post', '/api/simulations/survey/3/start')).toMatchObject([{ maxCost: 2.5 }]);
});

it('a cap is set at any time before the end, and a refusal leaves the dialog open', async () => {
  server.patch('/api/simulations/{simulationId}', () => refusal(400, 'maxCost must be above 0'));
  const { user } = open(paused, usd('0.200000'), null);
  expect(await screen.findByRole('button', { name: 'Resume' })).toBeVisible();
  await user.click(await screen.findByRole('button', { name: 'Change what the simulation may cost' }));
  const dialog = within(await shownDialog());
  await user.type(dialog.getByLabelText('Stop paying at'), '2');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(
    await screen.findByText('Failed to set what the simulation may cost: maxCost must be above 0'),
  ).toBeVisible();
  expect(dialog.getByRole('button', { name: 'Save' })).toBeEnabled();
  expect(server.sent('post', `${PATH}/resume`)).toHaveLength(0);
});

it("nothing is said of money where the model's price is not known", async () => {
  open({ ...paused, parameters: run.parameters }, null, null);
  expect(await screen.findByRole('button', { name: 'Resume' })).toBeVisible();
  expect(screen.queryByText('Money')).not.toBeInTheDocument();
});

it('somebody else sees what it costs and changes nothing', async () => {
  server.get('/api/groups/my', () => [{ ...group, isOwner: false }]);
  open({ ...paused, userId: 2 }, usd('1.000000'), usd('1.000000'));
  expect(await screen.findByText(/paid for calls/)).toBeVisible();
  expect(screen.queryByRole('button', { name: /cap|cost/ })).not.toBeInTheDocument();
});

it('the details name the models that answered, and what they cost', async () => {
  open(paused, usd('1.374200'), null, '?tab=details');
  expect(await screen.findByText('Cost of the calls')).toBeVisible();
  const models = screen.getByText('Answered by').nextElementSibling;
  expect(models).toHaveTextContent('gpt-4.1-mini-2025-04-14, fingerprint fp_1');
  expect(models).toHaveTextContent('gpt-4.1-mini-2025-07-01');
});

it('the share of tokens from the cache, what it saved, and the day of the prices are said', async () => {
  const dated: Simulation = {
    ...paused,
    created_at: '2026-11-29T12:00:00Z',
    parameters: { ...paused.parameters, promptCache: 'twin', price: { ...price, asOf: '2026-11-28' } },
  };
  server.get('/api/simulations/{simulationId}', () => ({
    ...factsOf(dated),
    promptTokens: 9000,
    cachedTokens: 6000,
    cost: usd('1.500000'),
    cacheSaving: usd('0.420000'),
    maxCost: null,
  }));
  visit(`/simulation-responses/3/${run.simulationId}?tab=details`);
  expect(await screen.findByText(/6,000 of them cached \(67 ?%\)/)).toBeVisible();
  expect(screen.getByText('Saved by the cache').nextElementSibling).toHaveTextContent('$0.42');
  expect(screen.getByText('Cost of the calls').nextElementSibling).toHaveTextContent(
    '$1.50, prices of Nov 28, 2026, a day old at the start',
  );
  expect(screen.getByText(/the twin’s text, with the schema/)).toBeVisible();
});
