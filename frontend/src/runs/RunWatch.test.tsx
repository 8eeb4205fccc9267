import { screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Simulation } from '@/api/types';
import { pass, stopClock, until } from '@/testing/clock';
import { group, run } from '@/testing/fixtures';
import { signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';
import { mute, startedHere, watchRetry } from './watched';

const running: Simulation = { ...run, status: 'RUNNING', successfulRequests: 4, failedRequests: 1 };
let server: ReturnType<typeof mockServer>;
let runs: Simulation[];

beforeEach(() => {
  server = mockServer();
  runs = [running];
  server.get('/api/groups/my', () => [group]);
  server.get('/api/simulations', () => runs);
  signInAs('user');
  stopClock();
});

const open = async () => {
  const visited = visit('/my-groups');
  await until(() => screen.queryByText('Mornings') !== null);
  return visited;
};
const news = () => screen.queryByText(/Coffee: 5 twins answered/);

it('the tab says on every page how far a run is, and the end comes with a link', async () => {
  await open();
  await until(() => document.title === '(50 %) My Groups · Digital Twin Lab');
  runs = [{ ...running, successfulRequests: 8 }];
  await pass(5);
  expect(document.title).toBe('(90 %) My Groups · Digital Twin Lab');
  runs = [run];
  await pass(5);
  expect(news()).toBeVisible();
  expect(screen.getByRole('link', { name: 'View results' })).toHaveAttribute(
    'href',
    `/simulation-responses/3/${run.simulationId}?tab=charts`,
  );
  expect(document.title).toBe('Done · My Groups · Digital Twin Lab');
  await pass(15);
  expect(document.title).toBe('My Groups · Digital Twin Lab');
});

it('goes on in a hidden tab, and stays done until somebody has looked', async () => {
  await open();
  await until(() => document.title.startsWith('(50 %)'));
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  const state = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  runs = [run];
  await pass(60);
  expect(document.title).toBe('Done · My Groups · Digital Twin Lab');
  hidden.mockReturnValue(false);
  state.mockReturnValue('visible');
  document.dispatchEvent(new Event('visibilitychange'));
  await pass(14);
  expect(document.title).toBe('Done · My Groups · Digital Twin Lab');
  await pass(2);
  expect(document.title).toBe('My Groups · Digital Twin Lab');
});

it('a run that starts and ends between two polls is announced once', async () => {
  runs = [];
  await open();
  runs = [run];
  startedHere(run.simulationId);
  // Tests have a cache of their own, which the call above does not know.
  await pass(6);
  window.dispatchEvent(new Event('focus'));
  await until(() => news() !== null);
  await pass(20);
  expect(news()).not.toBeInTheDocument();
  window.dispatchEvent(new Event('focus'));
  await pass(10);
  expect(news()).not.toBeInTheDocument();
});

it('tells the end of a study once, when its last run has ended', async () => {
  const cell = (simulationId: string, status: Simulation['status']): Simulation => ({
    ...run,
    simulationId,
    studyId: '5d0a4b7e-0000-4000-8000-000000000001',
    name: 'Baselines',
    status,
  });
  runs = [cell('a', 'RUNNING'), cell('b', 'RUNNING'), cell('c', 'QUEUED')];
  await open();
  await until(() => document.title.startsWith('('));
  runs = [cell('a', 'COMPLETED'), cell('b', 'COMPLETED'), cell('c', 'RUNNING')];
  await pass(5);
  expect(screen.queryByText(/Baselines/)).not.toBeInTheDocument();
  runs = [cell('a', 'COMPLETED'), cell('b', 'FAILED'), cell('c', 'COMPLETED')];
  await pass(5);
  expect(screen.getByText(/Baselines: the study has ended, 1 of its runs without all answers/)).toBeVisible();
  expect(screen.getAllByRole('link', { name: 'View results' })).toHaveLength(1);
  expect(screen.getByRole('link', { name: 'View results' })).toHaveAttribute(
    'href',
    '/studies/5d0a4b7e-0000-4000-8000-000000000001',
  );
});

it('says nothing of runs that had ended before, of those of others, and of quiet ones', async () => {
  const others = { ...running, simulationId: 'b', userId: 2 };
  const quiet = { ...running, simulationId: 'c' };
  mute('c');
  runs = [run, others, quiet];
  await open();
  await pass(5);
  expect(document.title).toBe('My Groups · Digital Twin Lab');
  runs = [run, { ...others, status: 'COMPLETED' }, { ...quiet, status: 'COMPLETED' }];
  await pass(10);
  expect(document.title).toBe('My Groups · Digital Twin Lab');
  expect(news()).not.toBeInTheDocument();
});

it('says that failed requests were retried when the last of them is answered, of runs of others, too', async () => {
  const others = { ...run, userId: 2, status: 'QUEUED', attempt: 2, successfulRequests: 8 } as const;
  runs = [others];
  watchRetry(run.simulationId);
  await open();
  await pass(5);
  expect(screen.queryByText(/retried successfully/)).not.toBeInTheDocument();
  runs = [{ ...others, status: 'COMPLETED', successfulRequests: 10 }];
  await pass(5);
  expect(screen.getByText(/Coffee: Failed requests retried successfully/)).toBeVisible();
});

it('is in the title alone on the wall', async () => {
  server.get('/api/simulations/{simulationId}', () => running as never);
  server.get(
    '/api/surveys/{surveyId}/simulation/{simulationId}/summary',
    () => ({ questions: [], groups: [], attributes: [], partial: true }) as never,
  );
  server.get('/api/simulations/{simulationId}/events', () => new Response(''));
  visit(`/simulation-responses/3/${run.simulationId}/present`);
  await until(() => document.title === '(50 %) Coffee · Digital Twin Lab');
  runs = [run];
  await pass(5);
  expect(document.title).toBe('Done · Coffee · Digital Twin Lab');
  expect(news()).not.toBeInTheDocument();
});
