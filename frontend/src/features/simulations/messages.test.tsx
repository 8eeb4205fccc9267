import { act, screen, within } from '@testing-library/react';
import { message } from 'antd';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { group, run, settings } from '@/testing/fixtures';
import { fill, shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

const EXPORT = '/api/surveys/{surveyId}/simulation/{simulationId}/responses/export.csv';
const HISTORY = '/api/surveys/{surveyId}/simulation-history';
let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/simulations', () => [run]);
  server.get('/api/auth/settings', () => settings);
  signInAs('user');
});

// The message of a session that ended outlasts the pages, and would outlast the test.
afterEach(() => {
  act(() => {
    message.destroy();
  });
});

const open = () => visit('/simulation-history');

describe('the history', () => {
  it('tells that it could not be loaded', async () => {
    server.break('get', '/api/simulations');
    open();
    expect(await screen.findByText('Failed to load simulations')).toBeVisible();
  });

  it('tells that there is none', async () => {
    server.get('/api/simulations', () => []);
    open();
    expect(
      await screen.findByText('No simulations found for your surveys. You may need to create surveys first.'),
    ).toBeVisible();
  });

  it('tells how much it loaded again, and how much a search leaves', async () => {
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Refresh' }));
    expect(await screen.findByText('Loaded 1 simulations for your surveys.')).toBeVisible();
    await fill(user, screen.getByLabelText('Search simulations'), 'nothing like it');
    expect(screen.getByText(/Showing 0 of 1 simulations/)).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Clear search' }));
    expect(screen.getByText('Coffee')).toBeVisible();
  });
});

describe('a download', () => {
  const csv = (text: string) => new Response(text, { headers: { 'Content-Type': 'text/csv' } });

  async function download() {
    const visited = open();
    await visited.user.click(await screen.findByRole('button', { name: 'Download responses' }));
    return visited;
  }

  it('is the file of the server, and tells how many records it has', async () => {
    const asked: (string | null)[] = [];
    server.get(EXPORT, ({ query }) => {
      asked.push(query.get('raw'));
      return csv('id,personaId\r\n1,17\r\n');
    });
    await download();
    expect(await screen.findByText('Downloaded 10 response records')).toBeVisible();
    expect(asked).toEqual([null]);
  });

  it('of nothing is none', async () => {
    server.get('/api/simulations', () => [{ ...run, totalRequests: 0 }]);
    server.get(EXPORT, () => csv('id,personaId\r\n'));
    await download();
    expect(await screen.findByText('No responses found for this simulation')).toBeVisible();
  });

  it('of a file without a header line is none', async () => {
    server.get(EXPORT, () => csv(''));
    await download();
    expect(await screen.findByText('No responses found for this simulation')).toBeVisible();
  });

  it.each([
    [403, 'Access denied. You may not have permission to download this data.'],
    [404, 'Simulation or survey not found.'],
    [500, 'Failed to download simulation responses'],
  ])('that fails with %d tells why', async (status, words) => {
    server.get(EXPORT, () => refusal(status, ''));
    await download();
    expect(await screen.findByText(words)).toBeVisible();
  });

  it('of a session that ended says so on the way out', async () => {
    server.get(EXPORT, () => refusal(401, ''));
    const { path } = await download();
    expect(await screen.findByText('Authentication failed. Please log in again.')).toBeVisible();
    expect(await screen.findByRole('button', { name: 'Send Verification Code' })).toBeVisible();
    expect(path()).toBe('/login');
  });

  it('that breaks in the browser says so', async () => {
    server.get(EXPORT, () => csv('id\r\n1\r\n'));
    vi.spyOn(URL, 'createObjectURL').mockImplementation(() => {
      throw new Error('no room');
    });
    vi.mocked(console.error).mockImplementation(() => undefined);
    await download();
    expect(await screen.findByText('Failed to download file. Check console for details.')).toBeVisible();
    expect(console.error).toHaveBeenCalledExactlyOnceWith(new Error('no room'));
    vi.mocked(console.error).mockClear();
  });
});

describe('the runs of a survey', () => {
  const failed = { ...run, status: 'FAILED', successfulRequests: 8, failedRequests: 2 } as const;

  beforeEach(() => {
    server.get(HISTORY, () => [failed]);
    server.get('/api/simulations/{simulationId}/failures', () => [
      { code: 'refused', message: 'the model refused to answer', count: 2, personas: 1 },
    ]);
  });

  async function history() {
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Runs of this survey' }));
    return { user, dialog: within(await shownDialog()) };
  }

  it.each([
    ['', 'Failed to load simulation history'],
    ['the survey was deleted', 'Failed to load simulation history: the survey was deleted'],
  ])('tell that they could not be loaded (%s)', async (reason, shown) => {
    server.get(HISTORY, () => refusal(500, reason));
    const { dialog } = await history();
    expect(await dialog.findByText(shown)).toBeVisible();
  });

  it('ask to sign in again where another tab did so meanwhile', async () => {
    server.get(HISTORY, () => {
      signInAs('user', { name: 'Ada L.' });
      return refusal(401, 'Token expired');
    });
    const { dialog } = await history();
    expect(await dialog.findByText('You are not logged in. Please log in again.')).toBeVisible();
  });

  it('tell why requests failed, and that they were asked again', async () => {
    server.post('/api/simulations/retry-failed/{simulationId}', () => run);
    const { user, dialog } = await history();
    expect(await dialog.findByText('Why requests failed')).toBeVisible();
    expect(dialog.getByText('the model refused to answer')).toBeInTheDocument();
    expect(dialog.getByText('Showing 1 simulation(s)')).toBeVisible();
    await user.click(dialog.getByTitle('Retry failed requests for this simulation'));
    // That they succeeded is said once they are answered (`RunWatch.test.tsx`).
    expect(await screen.findByText('Asking the failed requests again')).toBeVisible();
  });

  it.each([
    ['Not enough credits', 'Failed to retry failed requests: Not enough credits'],
    ['', 'Failed to retry failed requests: The server answered 500'],
  ])('tell why a retry failed (%s)', async (words, shown) => {
    server.post('/api/simulations/retry-failed/{simulationId}', () => refusal(500, words));
    const { user, dialog } = await history();
    await user.click(await dialog.findByRole('button', { name: 'Retry Failed' }));
    expect(await screen.findByText(shown)).toBeVisible();
  });

  it.each([
    ['', 'Failed to refresh simulation status'],
    ['the run was deleted', 'Failed to refresh simulation status: the run was deleted'],
  ])('are looked at again on demand (%s)', async (reason, shown) => {
    server.get('/api/simulations/{simulationId}/refresh-status', () => refusal(500, reason));
    const { user, dialog } = await history();
    await user.click(await dialog.findByRole('button', { name: 'Refresh' }));
    expect(await screen.findByText(shown)).toBeVisible();
  });

  it('offer to reset counters that claim too much', async () => {
    server.get(HISTORY, () => [{ ...failed, successfulRequests: 10 }]);
    server.break('post', '/api/simulations/{simulationId}/reset-counters');
    const { user, dialog } = await history();
    await user.click(await dialog.findByRole('button', { name: 'Reset Counters' }));
    expect(await screen.findByText('Failed to reset simulation counters')).toBeVisible();
    server.post('/api/simulations/{simulationId}/reset-counters', () => refusal(409, 'The run is RUNNING'));
    await user.click(dialog.getByRole('button', { name: 'Reset Counters' }));
    expect(await screen.findByText('Failed to reset simulation counters: the run is RUNNING')).toBeVisible();
    server.post('/api/simulations/{simulationId}/reset-counters', () => failed);
    await user.click(dialog.getByRole('button', { name: 'Reset Counters' }));
    expect(await screen.findByText('Simulation counters reset successfully')).toBeVisible();
  });

  it('tell that their state was refreshed', async () => {
    server.get('/api/simulations/{simulationId}/refresh-status', () => new Response(null, { status: 204 }));
    const { user, dialog } = await history();
    await user.click(await dialog.findByRole('button', { name: 'Refresh' }));
    expect(await screen.findByText('Simulation status refreshed')).toBeVisible();
  });
});

describe('the runs of others', () => {
  const others = {
    ...run,
    simulationId: '1c9fd3a4-5d0a-4b7e-9d3f-1c2b3a4d5e6f',
    userId: 2,
    surveyTitle: 'Tea',
    status: 'FAILED',
    failedRequests: 2,
  } as const;

  it('are seen by the owner of their group', async () => {
    server.get('/api/simulations', ({ query }) => (query.get('groupId') === '4' ? [run, others] : [run]));
    const { user } = open();
    await user.click(await screen.findByRole('combobox', { name: 'Whose simulations' }));
    await user.click(await screen.findByTitle('All simulations in Mornings'));
    expect(await screen.findByText('Tea')).toBeVisible();
    expect(screen.getByRole('img', { name: 'Simulation failed' })).toBeVisible();
  });

  it('are shown at the address of their survey, to look at only where another owns the group', async () => {
    server.get('/api/groups/my', () => [{ ...group, isOwner: false }]);
    server.get(HISTORY, () => [others, { ...run, attempt: 2 }]);
    server.get('/api/simulations/{simulationId}/failures', () => []);
    const { user, router } = visit('/simulation-history?survey=8');
    const dialog = within(await shownDialog());
    expect(await dialog.findByText('All requests eventually succeeded after retry')).toBeVisible();
    expect(dialog.getAllByRole('link', { name: 'View Responses' })).toHaveLength(2);
    // One's own has the button, and nothing failed there.
    expect(dialog.getAllByRole('button', { name: 'Retry Failed' })).toHaveLength(1);
    expect(dialog.getByRole('button', { name: 'Retry Failed' })).toBeDisabled();
    await user.click(dialog.getAllByRole('button', { name: 'Close' }).at(-1) as HTMLElement);
    expect(router.state.location.search).toBe('');
  });

  it('are shown when they are loaded', async () => {
    open();
    expect(await screen.findByText('Loaded 1 simulations for your surveys.')).toBeVisible();
  });
});
