import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { group, progress, run, settings } from '@/testing/fixtures';
import { fill, shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

let server: ReturnType<typeof mockServer>;
const running = {
  ...run,
  simulationId: '1c9fd3a4-5d0a-4b7e-9d3f-1c2b3a4d5e6f',
  name: 'Pilot of the wording',
  note: 'Second try',
  status: 'RUNNING',
  totalRequests: 3600,
  successfulRequests: 711,
} as const;
const failed = { ...run, status: 'FAILED', successfulRequests: 8, failedRequests: 2 } as const;
const failedToo = { ...failed, simulationId: '2d9fd3a4-5d0a-4b7e-9d3f-1c2b3a4d5e6f', failedRequests: 1 };

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups/my', () => [{ ...group, isOwner: false }]);
  server.get('/api/simulations', () => [running, failed, failedToo]);
  server.get('/api/auth/settings', () => settings);
  server.get('/api/simulations/{simulationId}/live-progress', () => ({ ...progress, totalRequests: 3600 }));
  signInAs('user');
});

const row = async (text: string) =>
  within((await screen.findByText(text)).closest('tr') as HTMLTableRowElement);

it('a row tells what the run is, how far, by whom and what it cost', async () => {
  visit('/simulation-history');
  const pilot = await row('Pilot of the wording');
  expect(pilot.getByText(/Coffee · Mornings/)).toBeVisible();
  expect(pilot.getByText('Second try')).toBeVisible();
  expect(pilot.getByText('by Ada')).toBeVisible();
  expect(pilot.getByText('711')).toBeVisible();
  expect(pilot.getByRole('link', { name: 'Pilot of the wording' })).toHaveAttribute(
    'href',
    `/simulation-responses/3/${running.simulationId}`,
  );
  expect((await screen.findAllByText('8 of 10 answered, 2 failed'))[0]).toBeVisible();
});

it('a row of a run that waits says until when and why', async () => {
  server.get('/api/simulations/{simulationId}/live-progress', () => ({
    ...progress,
    waitingUntil: new Date(2026, 10, 24, 14, 3, 5).toISOString(),
    waitingReason: 'rate limit',
  }));
  visit('/simulation-history');
  const pilot = await row('Pilot of the wording');
  expect(await pilot.findByText('Waiting for the model server until 14:03:05: rate limit')).toBeVisible();
});

it('a status chosen stands in the address and narrows the list', async () => {
  const { user, router } = visit('/simulation-history');
  await user.click(await screen.findByRole('button', { name: 'Failed 2' }));
  expect(screen.getByText(/Showing 2 of 3 simulations/)).toBeVisible();
  await waitFor(() => expect(router.state.location.search).toBe('?status=failed'));
  expect(screen.queryByText('Pilot of the wording')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Clear search' }));
  expect(await screen.findByText('Pilot of the wording')).toBeVisible();
  await waitFor(() => expect(router.state.location.search).toBe(''));
});

it('the page stands in the address, and another choice begins at the first', async () => {
  server.get('/api/simulations', () =>
    Array.from({ length: 21 }, (_, index) => ({
      ...run,
      simulationId: `run-${index}`,
      name: `Run ${index}`,
    })),
  );
  const { user, router } = visit('/simulation-history?page=2');
  expect(await screen.findByText('Run 20')).toBeVisible();
  await fill(user, screen.getByRole('searchbox'), 'Run 1');
  expect(await screen.findByText('Run 19')).toBeVisible();
  await waitFor(() => expect(router.state.location.search).toBe('?q=Run+1'));
});

it('an address with a search opens with it', async () => {
  visit('/simulation-history?q=pilot');
  expect(await screen.findByText(/Showing 1 of 3 simulations/)).toBeVisible();
  expect(screen.getByLabelText('Search simulations')).toHaveValue('pilot');
});

it('a run is stopped from its row once the question with the numbers is answered', async () => {
  server.post('/api/simulations/{simulationId}/stop', () => running);
  const { user } = visit('/simulation-history');
  await user.click((await row('Pilot of the wording')).getByRole('button', { name: 'Stop' }));
  const dialog = within(await shownDialog());
  expect(dialog.getByText(/711 of 3,600 answered; the rest is given up, 2,889 credits/)).toBeVisible();
  const path = `/api/simulations/${running.simulationId}/stop`;
  expect(server.sent('post', path)).toHaveLength(0);
  await user.click(dialog.getByRole('button', { name: 'Stop' }));
  expect(await screen.findByText('Simulation stopped')).toBeVisible();
  expect(server.sent('post', path)).toHaveLength(1);
});

describe("a member's runs of a survey", () => {
  const theirs = [running, failed].map((each) => ({ ...each, userId: 2 }));
  /** The cards of the two in the history of their survey. */
  const open = async () => {
    server.get('/api/simulations', () => theirs);
    server.get('/api/surveys/{surveyId}/simulation-history', () => theirs);
    server.get('/api/simulations/{simulationId}/failures', () => []);
    const { user } = visit('/simulation-history');
    const pilot = await row('Pilot of the wording');
    await user.click(pilot.getByRole('button', { name: 'Runs of this survey' }));
    const dialog = within(await shownDialog());
    const [under, over] = (await dialog.findAllByRole('article')).map((card) => within(card));
    if (under === undefined || over === undefined) throw new Error('two cards are there');
    return { user, under, over };
  };

  it('are paused, stopped and retried by the owner of their group', async () => {
    server.get('/api/groups/my', () => [group]);
    server.post('/api/simulations/{simulationId}/pause', () => ({ ...running, status: 'PAUSED' as const }));
    server.post('/api/simulations/retry-failed/{simulationId}', () => failed);
    const { user, under, over } = await open();
    await user.click(await under.findByRole('button', { name: 'Pause' }));
    expect(await screen.findByText('Simulation paused')).toBeVisible();
    await user.click(over.getByRole('button', { name: 'Retry Failed' }));
    expect(await screen.findByText('Asking the failed requests again')).toBeVisible();
    expect(server.sent('post', `/api/simulations/retry-failed/${failed.simulationId}`)).toHaveLength(1);
    await user.click(under.getByRole('button', { name: 'Stop' }));
    expect(await screen.findByText(/711 of 3,600 answered; the rest is given up/)).toBeVisible();
  });

  it('are looked at only by other members', async () => {
    const { under, over } = await open();
    expect(under.getByRole('button', { name: 'Refresh' })).toBeVisible();
    for (const name of ['Pause', 'Stop', 'Retry Failed']) {
      expect(under.queryByRole('button', { name })).not.toBeInTheDocument();
      expect(over.queryByRole('button', { name })).not.toBeInTheDocument();
    }
  });
});

it('the dialog of a run under way estimates its time only while none is measured', async () => {
  const open = async () => {
    const { user } = visit('/simulation-history');
    const pilot = await row('Pilot of the wording');
    await user.click(pilot.getByRole('button', { name: 'Simulation is processing, show details' }));
    return within(await shownDialog());
  };
  const dialog = await open();
  expect(await dialog.findByText('3 s left')).toBeVisible();
  expect(dialog.queryByText('Estimated time: 2-4 minutes')).not.toBeInTheDocument();
  server.get('/api/simulations/{simulationId}/live-progress', () => ({ ...progress, etaSeconds: null }));
  expect(await dialog.findByText('Estimated time: 2-4 minutes', {}, { timeout: 3000 })).toBeVisible();
});

it('several runs are asked again at once, and one that cannot be says why', async () => {
  server.post('/api/simulations/retry-failed/{simulationId}', ({ params }) =>
    params.simulationId === failedToo.simulationId ? refusal(402, 'Not enough credits') : failed,
  );
  const { user } = visit('/simulation-history');
  const boxes = await screen.findAllByRole('checkbox', { name: /^Choose/ });
  // Nothing of the run under way can be asked again.
  expect(boxes.map((box) => (box as HTMLInputElement).disabled)).toEqual([true, false, false]);
  await user.click(boxes[1] as HTMLElement);
  await user.click(boxes[2] as HTMLElement);
  expect(screen.getByText('2 chosen')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Retry 3 failed requests' }));
  expect(await screen.findByText('Asking the failed requests of 1 simulation again')).toBeVisible();
  expect(
    await screen.findByText('Failed to retry failed requests: Not enough credits (3a4d5e6f)'),
  ).toBeVisible();
});

it('a run that cannot be asked for says since when', async () => {
  server.break('get', '/api/simulations/{simulationId}/live-progress');
  visit('/simulation-history');
  expect(await screen.findByText(/^Last update \d+ s ago, reconnecting$/)).toBeVisible();
});
