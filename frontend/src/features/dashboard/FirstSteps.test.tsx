import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { Simulation, Survey } from '@/api/types';
import { factsOf, group, run, survey } from '@/testing/fixtures';
import { signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

let server: ReturnType<typeof mockServer>;
let surveys: Survey[];
let runs: Simulation[];

beforeEach(() => {
  surveys = [];
  runs = [];
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/surveys/my', () => surveys);
  server.get('/api/simulations', () => runs);
  signInAs('user');
});

const steps = () => screen.findByRole('heading', { name: 'First steps' });

it('a newcomer is led to a study, a pilot and its charts, step by step', async () => {
  visit('/dashboard');
  await steps();
  expect(screen.getByText('Be in a group').closest('.ant-steps-item')).toHaveTextContent('(done)');
  expect(screen.getByRole('link', { name: 'take a classic study' })).toHaveAttribute(
    'href',
    '/survey-builder?create=framing',
  );
  expect(screen.queryByRole('link', { name: 'See what they say' })).not.toBeInTheDocument();
});

it('what is done is ticked off, and the next step has its link', async () => {
  surveys = [survey];
  runs = [run];
  visit('/dashboard');
  await steps();
  expect(screen.queryByRole('link', { name: 'take a classic study' })).not.toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'See what they say' })).toHaveAttribute(
    'href',
    `/simulation-responses/3/${run.simulationId}?tab=charts`,
  );
});

it('goes away once charts were read, and when it is not wanted', async () => {
  surveys = [survey];
  const { user } = visit('/dashboard');
  await steps();
  await user.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(screen.queryByText('First steps')).not.toBeInTheDocument();
  expect(screen.getByText('Nothing is running.')).toBeVisible();
});

it('goes away by itself once a run was made and its charts were read', async () => {
  surveys = [survey];
  runs = [run];
  localStorage.setItem('first-run-charts-1', 'yes');
  visit('/dashboard');
  expect(await screen.findByText('Nothing is running.')).toBeVisible();
  expect(screen.queryByText('First steps')).not.toBeInTheDocument();
  expect(server.calls.some(({ path }) => path === '/api/surveys/my')).toBe(false);
});

it('reading charts is remembered', async () => {
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [] }));
  server.get('/api/surveys/{surveyId}/questions', () => []);
  server.get('/api/simulations/{simulationId}', () => factsOf(run));
  server.get(
    '/api/surveys/{surveyId}/simulation/{simulationId}/summary',
    () =>
      ({
        n: 5,
        where: [],
        questions: [],
        groups: [],
        attributes: [],
        arms: [],
        attributeValues: [],
      }) as never,
  );
  visit(`/simulation-responses/3/${run.simulationId}?tab=charts`);
  await waitFor(() => expect(localStorage.getItem('first-run-charts-1')).toBe('yes'));
});
