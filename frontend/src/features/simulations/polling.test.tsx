import { act, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { signOut } from '@/api/session';
import type { Simulation } from '@/api/types';
import { pass, stopClock, until } from '@/testing/clock';
import { group, progress, run } from '@/testing/fixtures';
import { PRODUCT_DEDUPING_MS, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

const LIST = '/api/simulations';
const LIVE = `/api/simulations/${run.simulationId}/live-progress`;

let server: ReturnType<typeof mockServer>;
/** How often the page asked the server for a path; every page looks for runs that end, 50 at a time. */
const asked = (path: string) =>
  server.calls.filter((call) => call.path === path && call.query.get('limit') !== '50').length;

async function watch(watched: Simulation): Promise<void> {
  server.get('/api/simulations', () => [watched]);
  visit('/simulation-history', PRODUCT_DEDUPING_MS);
  await until(() => screen.queryByText('Coffee') !== null);
}

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/auth/settings', () => refusal(404, ''));
  server.get('/api/simulations/{simulationId}/live-progress', () => progress);
  signInAs('user');
  stopClock();
});

describe('a run under way', () => {
  const running = { ...run, status: 'RUNNING' as const };

  it('is asked for every second, and the list of runs every two', async () => {
    await watch(running);
    const before = [asked(LIVE), asked(LIST)];
    await pass(20);
    expect([asked(LIVE), asked(LIST)].map((now, index) => now - (before[index] ?? 0))).toEqual([20, 10]);
  });

  it('is asked for again with what is newer, and nothing older', async () => {
    const older = { ...run, simulationId: '2d9fd3a4-5d0a-4b7e-9d3f-1c2b3a4d5e6f', surveyTitle: 'Tea' };
    const newer = { ...older, simulationId: '3e9fd3a4-5d0a-4b7e-9d3f-1c2b3a4d5e6f', surveyTitle: 'Milk' };
    let now: Simulation[] = [newer, running, older];
    server.get('/api/simulations', ({ query }) => now.slice(0, Number(query.get('limit'))));
    visit('/simulation-history', PRODUCT_DEDUPING_MS);
    await until(() => screen.queryByText('Tea') !== null);
    const before = server.calls.length;
    await pass(4);
    const limits = server.calls.slice(before).filter(({ path }) => path === LIST);
    expect(new Set(limits.map(({ query }) => query.get('limit')))).toEqual(new Set(['2']));
    // The run ends, which needs no other call; the older one is still known.
    now = [newer, run, older];
    await pass(2);
    expect(screen.getByText('Tea')).toBeInTheDocument();
    const ended = asked(LIST);
    await pass(60);
    expect(asked(LIST)).toBe(ended);
  });

  it('is not asked for while nobody can see it, and at once when somebody can', async () => {
    await watch(running);
    await pass(10);
    const seen = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    // The news of its end is looked for all the same: it is meant for those who look elsewhere.
    const pages = () => server.calls.filter((call) => call.query.get('limit') !== '50').length;
    const before = pages();
    await pass(120);
    expect(pages()).toBe(before);
    seen.mockReturnValue('visible');
    act(() => {
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await pass(0);
    expect(asked(LIVE)).toBeGreaterThan(0);
    expect(pages()).toBeGreaterThan(before);
  });

  it('is not asked for once one has signed out', async () => {
    await watch(running);
    act(() => signOut());
    await pass(1);
    const before = server.calls.length;
    await pass(120);
    expect(server.calls.length).toBe(before);
  });

  it('is asked for through the failures of a server that comes back', async () => {
    await watch(running);
    server.break('get', '/api/simulations/{simulationId}/live-progress');
    server.break('get', '/api/simulations');
    await pass(60);
    expect(screen.getByText('Coffee')).toBeInTheDocument();
    server.get('/api/simulations/{simulationId}/live-progress', () => progress);
    server.get('/api/simulations', () => [running]);
    await pass(2);
    const before = asked(LIVE);
    await pass(10);
    expect(asked(LIVE) - before).toBe(10);
  });
});

it.each(['COMPLETED', 'FAILED', 'STOPPED', 'PAUSED'] as const)(
  'a run that is %s is not asked for again',
  async (status) => {
    server.get('/api/simulations/{simulationId}/live-progress', () => ({
      ...progress,
      simulationStatus: status,
      status,
    }));
    await watch({ ...run, status });
    await pass(1);
    const before = server.calls.length;
    await pass(120);
    expect(server.calls.length).toBe(before);
  },
);
