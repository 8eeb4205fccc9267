import { screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { pass, stopClock, until } from '@/testing/clock';
import { group } from '@/testing/fixtures';
import { signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

const AWAY = 'The database cannot be reached at the moment.';
let server: ReturnType<typeof mockServer>;
const away = () => refusal(503, AWAY);

beforeEach(() => {
  server = mockServer();
  signInAs('user');
  stopClock();
});

it('a page that opens while the database is away says so, and goes on by itself', async () => {
  server.get('/api/groups/my', away);
  visit('/my-groups');
  await until(() => screen.queryByText(AWAY) !== null);
  await pass(300);
  server.get('/api/groups/my', () => [group]);
  await pass(15);
  expect(screen.getByText('Mornings')).toBeVisible();
  expect(screen.queryByText(AWAY)).not.toBeInTheDocument();
});

it('a page that needs a group does not say that there is none while nobody can tell', async () => {
  server.get('/api/groups/my', away);
  server.get('/api/simulations', away);
  visit('/simulation-history');
  await until(() => screen.queryByText(AWAY) !== null);
  expect(screen.queryByText('No Group Access')).not.toBeInTheDocument();
});

it('a page keeps what it shows while the database is away', async () => {
  server.get('/api/groups/my', () => [group]);
  visit('/my-groups');
  await until(() => screen.queryByText('Mornings') !== null);
  server.get('/api/groups/my', away);
  await pass(6);
  window.dispatchEvent(new Event('focus'));
  document.dispatchEvent(new Event('visibilitychange'));
  await until(() => screen.queryByText(AWAY) !== null);
  expect(screen.getByText('Mornings')).toBeVisible();
});
