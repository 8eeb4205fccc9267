import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { group, settings, survey } from '@/testing/fixtures';
import { signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

beforeEach(() => {
  const server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/auth/settings', () => settings);
  server.get('/api/surveys/my', () => [
    { ...survey, id: 1, title: 'Tea', questionCount: 3 },
    { ...survey, id: 2, title: 'Water', questionCount: 12 },
    { ...survey, id: 3, title: 'Teapots', questionCount: 7 },
  ]);
  signInAs('user');
});

const titles = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.querySelector('strong')?.textContent);

it('search and order of the surveys stand in the address', async () => {
  const { user, router } = visit('/survey-builder?q=tea&sort=-questions');
  expect(await screen.findByRole('searchbox', { name: 'Search surveys' })).toHaveValue('tea');
  expect(titles()).toEqual(['Teapots', 'Tea']);
  await user.click(screen.getByRole('columnheader', { name: /Survey/ }));
  await waitFor(() => expect(titles()).toEqual(['Tea', 'Teapots']));
  expect(router.state.location.search).toBe('?q=tea&sort=survey');
  await user.clear(screen.getByRole('searchbox', { name: 'Search surveys' }));
  expect(titles()).toEqual(['Tea', 'Teapots', 'Water']);
  expect(router.state.location.search).toBe('?sort=survey');
  await user.type(screen.getByRole('searchbox', { name: 'Search surveys' }), 'xyz');
  expect(await screen.findByText('No survey has “xyz” in its title, description or group')).toBeVisible();
});
