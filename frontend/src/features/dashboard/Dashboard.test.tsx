import { screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { group, run } from '@/testing/fixtures';
import { signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/simulations', () => [run]);
  server.get('/api/surveys/my', () => []);
  signInAs('user');
});

it('what is under way says so where nothing is, above the latest results', async () => {
  visit('/dashboard');
  expect(await screen.findByText('Nothing is running.')).toBeVisible();
  expect(screen.getByRole('link', { name: 'Coffee' })).toHaveAttribute(
    'href',
    `/simulation-responses/${run.surveyId}/${run.simulationId}?tab=charts`,
  );
});

it('what a super admin sees in dollars is said to be credits', async () => {
  server.get('/api/groups', () => [group]);
  signInAs('super_admin');
  visit('/dashboard');
  expect(await screen.findByText('$500')).toBeVisible();
  expect(screen.getByText('$ = credits')).toBeVisible();
});

it('what is under way tells that it could not be loaded', async () => {
  server.break('get', '/api/simulations');
  visit('/dashboard');
  expect(await screen.findByText('Failed to load what is under way')).toBeVisible();
});
