import { screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { pass, stopClock, until } from '@/testing/clock';
import { group, progress, question, run, survey } from '@/testing/fixtures';
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
  server.get('/api/surveys/{surveyId}/simulation-history', () => [running]);
  server.get('/api/simulations/{simulationId}/live-progress', () => progress);
  server.get('/api/simulations/{simulationId}/failures', () => [
    { code: 'refused', message: 'the model refused to answer', count: 2, personas: 1 },
  ]);
  signInAs('user');
  stopClock();
});

it('the overview of a run under way asks for its progress every second, for the run and its failures every two', async () => {
  visit(`/simulation-responses/3/${run.simulationId}`, PRODUCT_DEDUPING_MS);
  await until(() => screen.queryByText('the model refused to answer') !== null);
  const paths = [
    `/api/simulations/${run.simulationId}/live-progress`,
    '/api/surveys/3/simulation-history',
    `/api/simulations/${run.simulationId}/failures`,
  ];
  const before = paths.map(asked);
  await pass(20);
  expect(paths.map((path, at) => asked(path) - (before[at] ?? 0))).toEqual([20, 10, 10]);
});
