import { screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { pass, stopClock, until } from '@/testing/clock';
import { factsOf, group, progress, question, run, survey } from '@/testing/fixtures';
import { PRODUCT_DEDUPING_MS, signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

let server: ReturnType<typeof mockServer>;
const running = { ...run, status: 'RUNNING', completedAt: null, failedRequests: 2 } as const;
const asked = (path: string) => server.calls.filter((call) => call.path === path).length;

beforeEach(() => {
  server = mockServer();
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [question] }));
  server.get('/api/surveys/{surveyId}/questions', () => [question]);
  server.get('/api/groups/my', () => [group]);
  server.get('/api/simulations/{simulationId}', () => factsOf(running));
  server.get('/api/simulations/{simulationId}/live-progress', () => progress);
  server.get('/api/simulations/{simulationId}/failures', () => [
    { code: 'refused', message: 'the model refused to answer', count: 2, personas: 1 },
  ]);
  signInAs('user');
  stopClock();
});

it('says within five seconds that no answer comes any more, and the clocks stop', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true);
  server.get('/api/simulations/{simulationId}/live-progress', () => progress);
  visit(`/simulation-responses/3/${run.simulationId}`, PRODUCT_DEDUPING_MS);
  await until(() => screen.queryByText(/left · done near/) !== null);
  const never = new Promise<never>(() => undefined);
  server.get('/api/simulations/{simulationId}/live-progress', () => never);
  await pass(5);
  expect(screen.getByText(/^Last update [45] s ago, reconnecting$/)).toBeVisible();
  expect(screen.queryByText(/left · done near/)).not.toBeInTheDocument();
  const clock = () => screen.getByText('Running for').nextElementSibling?.textContent;
  const stopped = clock();
  await pass(10);
  expect(clock()).toBe(stopped);
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  window.dispatchEvent(new Event('offline'));
  await pass(1);
  expect(screen.getByText(/^Offline\. Last update 1[56] s ago$/)).toBeVisible();
  // SWR asks again.
  window.dispatchEvent(new Event('online'));
});

it('the overview of a run under way asks for its progress every second, for the run and its failures every two', async () => {
  visit(`/simulation-responses/3/${run.simulationId}`, PRODUCT_DEDUPING_MS);
  await until(() => screen.queryByText('the model refused to answer') !== null);
  const paths = [
    `/api/simulations/${run.simulationId}/live-progress`,
    `/api/simulations/${run.simulationId}`,
    `/api/simulations/${run.simulationId}/failures`,
  ];
  const before = paths.map(asked);
  await pass(20);
  expect(paths.map((path, at) => asked(path) - (before[at] ?? 0))).toEqual([20, 10, 10]);
});
