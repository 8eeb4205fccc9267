import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { Simulation } from '@/api/types';
import { newsOf } from '@/runs/RunWatch';
import { factsOf, group, progress, question, run, survey } from '@/testing/fixtures';
import { fill, shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

let server: ReturnType<typeof mockServer>;
const running: Simulation = {
  ...run,
  status: 'RUNNING',
  completedAt: null,
  totalRequests: 3600,
  personaCount: 360,
  successfulRequests: 711,
  failedRequests: 9,
};
const ADDRESS = `/simulation-responses/3/${run.simulationId}`;

/** The page of a run; nothing else of the server's is asked for. */
function open(shown: Simulation, tab = '') {
  server.get('/api/simulations/{simulationId}', () => factsOf(shown));
  return visit(ADDRESS + tab);
}

beforeEach(() => {
  server = mockServer();
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [question] }));
  server.get('/api/surveys/{surveyId}/questions', () => [question]);
  server.get('/api/groups/my', () => [group]);
  server.get('/api/simulations/{simulationId}/live-progress', () => ({
    ...progress,
    totalRequests: 3600,
    successfulRequests: 711,
    failedRequests: 9,
    inFlight: 16,
    requestsPerSecond: 38.4,
    etaSeconds: 75,
  }));
  server.get('/api/simulations/{simulationId}/failures', () => [
    { code: 'refused', message: 'the model refused to answer', count: 9, personas: 4 },
  ]);
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/responses/matrix', () => []);
  signInAs('user');
});

it('a run is open from its first second, with how far it is and why requests failed', async () => {
  open(running);
  const panel = within(await screen.findByRole('region', { name: 'Progress' }));
  expect(panel.getByRole('button', { name: 'What are requests?' })).toBeVisible();
  expect(await panel.findByText(/About 1 min 15 s left · done near/)).toBeVisible();
  expect(panel.getByRole('progressbar', { name: 'Requests' })).toHaveAttribute('aria-valuenow', '20');
  expect(panel.getByText('711', { selector: 'li strong' })).toBeVisible();
  // 16 calls ask two questions each.
  expect(panel.getByText('32', { selector: 'li strong' }).parentElement).toHaveTextContent('32 in flight');
  expect(panel.getByText('2,848', { selector: 'li strong' }).parentElement).toHaveTextContent(
    '2,848 waiting',
  );
  expect(panel.getByText('38')).toBeVisible();
  expect(panel.getByText('Ada')).toBeVisible();
  expect(screen.getByText(/^Live, partial/)).toBeVisible();
  expect(await screen.findByText('the model refused to answer')).toBeVisible();
  await waitFor(() => expect(document.title).toContain('(20 %)'));
});

it('a run that is over says what looks wrong with its answers, and what it has no data for', async () => {
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/diagnostics', () => ({
    simulationId: run.simulationId,
    partial: false,
    notice: '',
    diagnostics: [
      {
        diagnostic: 'modal_answer',
        verdict: 'warning' as const,
        measure: 'share of the most frequent answer',
        advice: 'Read no spreads from it.',
        findings: [
          { of: 'commute', value: 0.91, threshold: 0.8, n: 200, warns: true, note: 'half of it' },
          { of: 'coffee', value: 0.5, threshold: 0.8, n: 200, warns: false },
        ],
      },
      {
        diagnostic: 'validity',
        verdict: 'ok' as const,
        measure: 'share of valid answers',
        advice: '',
        findings: [
          { of: 'all', value: 1, threshold: 0.97, n: 400, warns: false },
          { of: 'some', value: 0.998, threshold: 0.97, n: 400, warns: false },
        ],
      },
      {
        diagnostic: 'empty_pipes',
        verdict: 'ok' as const,
        measure: 'twins that saw a text with nothing in it',
        advice: '',
        findings: [{ of: 'why', value: 0, threshold: 0, n: 200, warns: false }],
      },
      {
        diagnostic: 'spread',
        verdict: 'not_applicable' as const,
        reason: 'needs the answers of people',
        measure: '',
        advice: '',
        findings: [],
      },
    ],
  }));
  const { user } = open(run, '?tab=overview');
  const found = within(await screen.findByRole('region', { name: 'Diagnostics' }));
  expect(found.getByText('One answer for all')).toBeVisible();
  expect(found.getByText(/Read no spreads from it/)).toBeVisible();
  expect(found.getByText(/^commute:/)).toHaveTextContent(
    'commute: 91.0 %, threshold 80.0 %, n 200; half of it',
  );
  expect(found.queryByText('coffee')).toBeNull();
  await user.click(found.getByText('2 checks within their thresholds'));
  expect(found.getByRole('row', { name: /Holes in texts.* 0 ?why 0$/ })).toBeVisible();
  expect(found.getByRole('row', { name: /Invalid answers.*99\.8 %.*97\.0 %/ })).toBeVisible();
  await user.click(found.getByText('1 check without data in this run'));
  expect(found.getByText('needs the answers of people')).toBeVisible();
});

it('is stopped only after its numbers were read', async () => {
  server.post('/api/simulations/{simulationId}/stop', () => ({ ...running, status: 'STOPPED' }) as never);
  const { user } = open(running);
  await user.click(await screen.findByRole('button', { name: 'Stop…' }));
  const dialog = within(await shownDialog());
  expect(
    dialog.getByText(/711 of 3,600 answered; the rest is given up, 2,880 credits come back/),
  ).toBeVisible();
  const stop = `/api/simulations/${run.simulationId}/stop`;
  expect(server.sent('post', stop)).toHaveLength(0);
  await user.click(dialog.getByRole('button', { name: 'Stop' }));
  await waitFor(() => expect(server.sent('post', stop)).toHaveLength(1));
});

it('goes on after a stop with what is open, and where the credits do not suffice says so', async () => {
  server.post('/api/simulations/{simulationId}/continue', () =>
    refusal(402, 'Not enough credits: 2889 needed, 5 available'),
  );
  const stopped = { ...running, status: 'STOPPED', completedAt: run.completedAt } as const;
  const { user } = open(stopped);
  const button = await screen.findByRole('button', { name: 'Continue (2,880 open)' });
  await user.click(button);
  expect(
    await screen.findByText('Failed to continue simulation: not enough credits: 2889 needed, 5 available'),
  ).toBeVisible();
  server.post('/api/simulations/{simulationId}/continue', () => ({ ...stopped, status: 'QUEUED' as const }));
  await user.click(button);
  expect(await screen.findByText('Simulation continued')).toBeVisible();
  expect(server.sent('post', `/api/simulations/${run.simulationId}/continue`)).toHaveLength(2);
});

it('that was stopped with nothing open does not go on', async () => {
  open({ ...running, status: 'STOPPED', successfulRequests: 3591 });
  await screen.findByRole('region', { name: 'Progress' });
  expect(screen.queryByRole('button', { name: /^Continue/ })).not.toBeInTheDocument();
});

it('that has ended leads to its charts', async () => {
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/summary', () => refusal(500, ''));
  server.get('/api/simulations/{simulationId}', () => run as never);
  const { user, router } = open(run);
  await user.click(await screen.findByRole('button', { name: 'View results' }));
  expect(router.state.location.search).toBe('?tab=charts');
  expect(screen.getByRole('tab', { name: 'Charts', selected: true })).toBeVisible();
  expect(screen.queryByRole('button', { name: 'View results' })).not.toBeInTheDocument();
  expect(await screen.findByText(/^Failed to load simulation responses/)).toBeVisible();
});

it("somebody else's run is looked at only", async () => {
  server.get('/api/groups/my', () => [{ ...group, isOwner: false }]);
  open({ ...running, userId: 2 });
  await screen.findByRole('region', { name: 'Progress' });
  expect(screen.queryByRole('button', { name: 'Pause' })).not.toBeInTheDocument();
  expect(screen.queryByRole('button', { name: /Name and note/ })).not.toBeInTheDocument();
});

it('is started again with the same twins and settings', async () => {
  server.get('/api/simulations/{simulationId}/personas', () => [
    { personaId: 4, personaPid: '4', personaName: 'Twin 4', attributes: {} } as never,
    { personaId: 9, personaPid: '9', personaName: 'Twin 9', attributes: {} } as never,
  ]);
  const next = '11111111-5d0a-4b7e-9d3f-1c2b3a4d5e6f';
  server.post('/api/simulations/survey/{surveyId}/start', () => ({ ...run, simulationId: next }));
  const { user, path } = open({ ...run, personaCount: 2, totalQuestions: 5 });
  await user.click(await screen.findByRole('button', { name: 'Run again with the same twins' }));
  await user.click(within(await shownDialog()).getByRole('button', { name: 'Start for 10 credits' }));
  await waitFor(() => expect(path()).toBe(`/simulation-responses/3/${next}`));
  expect(server.sent('post', '/api/simulations/survey/3/start')).toEqual([
    {
      personaCount: 2,
      isRandomSelection: false,
      selectedPersonaIds: [4, 9],
      seed: 1,
      questionsPerCall: 20,
      personaVariant: 'summary',
      shuffleOptions: false,
      model: 'twinlab-demo',
    },
  ]);
});

it('is given a name and a note', async () => {
  server.patch('/api/simulations/{simulationId}', () => ({ ...run, name: 'Pilot' }));
  const { user } = open({ ...run, note: 'Second try' });
  expect(await screen.findByText('Second try')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Name and note of this simulation' }));
  const dialog = within(await shownDialog());
  await fill(user, dialog.getByLabelText('Name'), 'Pilot');
  await user.clear(dialog.getByLabelText('Note'));
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(server.sent('patch', `/api/simulations/${run.simulationId}`)).toEqual([
      { name: 'Pilot', note: '' },
    ]),
  );
});

it('says that it is cut off while no progress comes', async () => {
  server.get('/api/simulations/{simulationId}/live-progress', () => refusal(500, ''));
  open(running);
  expect(await screen.findByText(/^Last update .* ago, reconnecting$/)).toBeVisible();
});

it('says until when it waits for the model server, and why, although nothing has failed', async () => {
  server.get('/api/simulations/{simulationId}/live-progress', () => ({
    ...progress,
    waitingUntil: new Date(2026, 10, 24, 14, 3, 5).toISOString(),
    waitingReason: 'the model server is down: connection refused',
  }));
  open(running);
  const wait = await screen.findByText('Waiting for the model server until 14:03:05');
  expect(wait.closest('[role=status]')).toHaveTextContent('the model server is down: connection refused');
});

it('says that nobody works on it', async () => {
  const queued = { ...progress, simulationStatus: 'QUEUED', status: 'QUEUED' } as const;
  server.get('/api/simulations/{simulationId}/live-progress', () => ({
    ...queued,
    waitingReason: 'no worker is running',
  }));
  open({ ...running, status: 'QUEUED' });
  const wait = await screen.findByText('Waiting to begin');
  expect(wait.closest('[role=status]')).toHaveTextContent('no worker is running');
});

it('says that the model server takes no further batch yet', async () => {
  const reason = 'the model server has no room for the next batch yet: Enqueued token limit reached';
  server.get('/api/simulations/{simulationId}/live-progress', () => ({ ...progress, waitingReason: reason }));
  open(running);
  const wait = await screen.findByText('Waiting for the model server');
  expect(wait.closest('[role=status]')).toHaveTextContent(reason);
});

it('counts what the flow skipped as neither missing nor failed', async () => {
  open({
    ...run,
    totalRequests: 4000,
    successfulRequests: 2707,
    skippedRequests: 1293,
    parameters: { ...run.parameters, batch: false },
  });
  const panel = within(await screen.findByRole('region', { name: 'Progress' }));
  expect(panel.getByText('100 %')).toBeVisible();
  expect(panel.getByText(/2,707 of 2,707 requests/)).toBeVisible();
  expect(panel.getByText('1,293 skipped by the flow, free')).toBeVisible();
  expect(panel.getByText('0', { selector: 'li:nth-child(3) strong' }).parentElement).toHaveTextContent(
    '0 not asked',
  );
});

it('a run under way shows one figure of credits, and says nothing of what failed before it is asked again', async () => {
  server.get('/api/simulations/{simulationId}/live-progress', () => ({
    ...progress,
    totalRequests: 3600,
    successfulRequests: 1122,
  }));
  open({ ...running, failedRequests: 0, errorMessage: '9 of 3,600 requests failed', attempt: 2 });
  const summary = await screen.findByText('1,122 credits');
  expect(summary.previousElementSibling).toHaveTextContent('Total cost');
  expect(screen.queryByText('711 credits')).not.toBeInTheDocument();
  expect(screen.queryByText(/requests failed/)).not.toBeInTheDocument();
});

it('tells in the news how it ended', () => {
  expect(newsOf([{ ...run, personaCount: 2000 }])).toBe('Coffee: 2,000 twins answered');
  expect(newsOf([{ ...running, status: 'STOPPED', name: 'Pilot' }])).toBe(
    'Pilot: stopped after 711 of 3,600 answers',
  );
  expect(newsOf([{ ...running, status: 'FAILED' }])).toBe('Coffee: 9 of 3,600 requests failed');
  expect(newsOf([{ ...running, status: 'FAILED', skippedRequests: 600 }])).toBe(
    'Coffee: 9 of 3,000 requests failed',
  );
  expect(newsOf([run], true)).toBe('Coffee: Failed requests retried successfully');
});
