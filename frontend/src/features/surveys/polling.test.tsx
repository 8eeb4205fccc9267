import { screen } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Survey } from '@/api/types';
import { pass, stopClock, until } from '@/testing/clock';
import { group, progress, survey } from '@/testing/fixtures';
import { PRODUCT_DEDUPING_MS, signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

const LIST = '/api/surveys/my';
const LIVE = '/api/simulations/survey/3/live-progress';
const STATUS = '/api/simulations/survey/3/refresh-status';

let server: ReturnType<typeof mockServer>;
/** How often the server was asked for each path. */
const asked = () => [LIST, LIVE, STATUS].map((path) => server.sent('get', path).length);

async function look(seen: Survey): Promise<void> {
  server.get('/api/surveys/my', () => [seen]);
  visit('/survey-builder', PRODUCT_DEDUPING_MS);
  await until(() => screen.queryByText('Coffee') !== null);
}

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  signInAs('user');
  stopClock();
});

describe('my surveys', () => {
  it('are asked for every 2 s while one runs, its progress every second, its status every 3 s', async () => {
    // Every answer is another one, so that the page is drawn anew with each.
    let answered = 0;
    const further = () => ({ ...progress, progressPercentage: ++answered });
    server.get('/api/simulations/survey/{surveyId}/live-progress', further);
    server.get('/api/simulations/survey/{surveyId}/refresh-status', further);
    await look({ ...survey, simulation_status: 'RUNNING' });
    expect(screen.getByText('ACTIVE')).toBeInTheDocument();
    const before = asked();
    await pass(30);
    expect(asked().map((now, index) => now - (before[index] ?? 0))).toEqual([15, 30, 10]);
  });

  it('are asked for until half a minute after a run has ended', async () => {
    const ended = { ...progress, simulationStatus: 'COMPLETED' as const, status: 'COMPLETED' as const };
    server.get('/api/simulations/survey/{surveyId}/live-progress', () => ended);
    server.get('/api/simulations/survey/{surveyId}/refresh-status', () => ended);
    await look({
      ...survey,
      simulation_status: 'COMPLETED',
      simulation_completed_at: new Date(Date.now() - 10_000).toISOString(),
    });
    const before = asked();
    await pass(10);
    expect(asked()[0]).toBeGreaterThan(before[0] ?? 0);
    await pass(20);
    const after = asked();
    await pass(120);
    expect(asked()).toEqual(after);
  });

  it('are asked for once where nothing runs', async () => {
    await look(survey);
    const before = server.calls.length;
    await pass(120);
    expect(server.calls.length).toBe(before);
  });
});
