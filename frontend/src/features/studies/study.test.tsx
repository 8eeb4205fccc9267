import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { Simulation } from '@/api/types';
import type { Study } from '@/runs/start/cells';
import { group, run, settings } from '@/testing/fixtures';
import { fill, shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

const STUDY = '5f4e3d2c-0000-4000-8000-000000000005';

const cell = (place: number, changed: Partial<Simulation>): Simulation => ({
  ...run,
  simulationId: `0b9fd3a4-5d0a-4b7e-9d3f-00000000000${place}`,
  studyId: STUDY,
  parameters: { ...run.parameters, cell: { repeat: place } },
  // Nothing to compare.
  successfulRequests: 0,
  ...changed,
});

/** A study whose first run has failures, whose second was stopped, and whose third waits. */
const study: Study = {
  studyId: STUDY,
  name: 'Baselines',
  note: null,
  surveyId: 3,
  surveyTitle: 'Coffee',
  created_at: '2026-01-01T09:00:00Z',
  status: 'QUEUED',
  totalRequests: 30,
  successfulRequests: 0,
  failedRequests: 12,
  skippedRequests: 0,
  isValidation: false,
  plan: null,
  runs: [
    cell(1, { status: 'FAILED', failedRequests: 10 }),
    cell(2, { status: 'STOPPED', failedRequests: 2 }),
    cell(3, { status: 'PAUSED' }),
  ],
};

let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/auth/settings', () => settings);
  server.get('/api/studies/{studyId}', () => study);
  signInAs('user');
});

it('what failed in its runs, and what a stop left open, is asked with one press each', async () => {
  const queued = (place: number): Study => ({
    ...study,
    runs: study.runs.map((each, at) =>
      at === place ? { ...each, status: 'QUEUED', failedRequests: 0 } : each,
    ),
  });
  server.post('/api/studies/{studyId}/continue', () => {
    server.get('/api/studies/{studyId}', () => queued(1));
    return queued(1);
  });
  server.post('/api/studies/{studyId}/retry-failed', () =>
    refusal(402, 'Not enough credits: 10 needed, 4 available'),
  );
  const { user } = visit(`/studies/${STUDY}`);
  await user.click(await screen.findByRole('button', { name: 'Retry 12 failed' }));
  expect(
    await screen.findByText('Failed to retry failed requests: Not enough credits: 10 needed, 4 available'),
  ).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Continue all (8 open)' }));
  expect(await screen.findByRole('button', { name: 'Retry 10 failed' })).toBeVisible();
  expect(screen.queryByRole('button', { name: /Continue all/ })).not.toBeInTheDocument();
  expect(server.sent('post', `/api/studies/${STUDY}/continue`)).toHaveLength(1);
});

it('is renamed in the dialog of a run', async () => {
  server.patch('/api/studies/{studyId}', ({ body }) => {
    const renamed = { ...study, ...(body as object) };
    server.get('/api/studies/{studyId}', () => renamed);
    return renamed;
  });
  const { user } = visit(`/studies/${STUDY}`);
  await user.click(await screen.findByRole('button', { name: 'Rename…' }));
  const dialog = within(await shownDialog());
  await user.clear(dialog.getByLabelText('Name'));
  await fill(user, dialog.getByLabelText('Name'), 'Repeats');
  await fill(user, dialog.getByLabelText('Note'), 'Second try');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await screen.findByRole('heading', { name: 'Repeats' })).toBeVisible();
  expect(await screen.findByText('Second try', { selector: 'p' })).toBeVisible();
  expect(server.sent('patch', `/api/studies/${STUDY}`)).toEqual([{ name: 'Repeats', note: 'Second try' }]);
});

it('is only looked at by those who do not control its runs', async () => {
  server.get('/api/groups/my', () => [{ ...group, isOwner: false }]);
  server.get('/api/studies/{studyId}', () => ({
    ...study,
    runs: study.runs.map((each) => ({ ...each, userId: 2 })),
  }));
  visit(`/studies/${STUDY}`);
  expect(await screen.findByRole('heading', { name: 'Baselines' })).toBeVisible();
  expect(screen.queryByRole('button', { name: /Retry|Continue|Rename|Stop/ })).not.toBeInTheDocument();
});

it("stands in its survey's history with its runs, its status, how far it is, and a link", async () => {
  server.get('/api/simulations', () => study.runs);
  server.get('/api/surveys/{surveyId}/simulation-history', () => study.runs);
  server.get('/api/simulations/{simulationId}/failures', () => []);
  server.get('/api/simulations/{simulationId}/live-progress', () => refusal(404, 'None') as never);
  const other = { ...study, studyId: STUDY.replace('5f', '6f'), name: null, status: 'COMPLETED' as const };
  server.get('/api/surveys/{surveyId}/studies', () => [
    { ...study, successfulRequests: 15 },
    { ...other, failedRequests: 0, successfulRequests: 28, skippedRequests: 2 },
  ]);
  visit('/simulation-history?survey=3');
  const list = within(within(await shownDialog()).getByRole('region', { name: 'Studies' }));
  const link = await list.findByRole('link', { name: 'Baselines' });
  expect(link).toHaveAttribute('href', `/studies/${STUDY}`);
  const row = within(link.closest('tr') as HTMLTableRowElement);
  expect(row.getByText('3')).toBeVisible();
  expect(row.getByText('Queued')).toBeVisible();
  expect(row.getByText('15 of 30 answered, 12 failed')).toBeVisible();
  expect(list.getByRole('link', { name: 'Study without a name' })).toBeVisible();
  expect(list.getByText('28 of 28 answered, 2 skipped by the flow, free')).toBeVisible();
});

it('a survey without studies is not asked for them', async () => {
  server.get('/api/surveys/{surveyId}/simulation-history', () => [run]);
  visit('/simulation-history?survey=3');
  expect(await screen.findByText('Showing 1 simulation(s)')).toBeVisible();
  expect(server.calls.filter(({ path }) => path.endsWith('/studies'))).toHaveLength(0);
});
