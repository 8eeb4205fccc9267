import { expect, it } from 'vitest';
import { api } from '@/api/client';
import { mockServer, takeUndeclaredCalls } from './server';

// What is taken here no longer fails the test: `setup.ts` fails every other one.

it('a call that the test does not declare is kept with its name', async () => {
  const server = mockServer();
  server.get('/api/groups/my', () => []);
  await api.get('/api/groups/my');
  await expect(api.delete('/api/groups/{groupId}', { params: { path: { groupId: 4 } } })).rejects.toThrow(
    'the test declares no answer to DELETE /api/groups/4',
  );
  expect(takeUndeclaredCalls()).toEqual(['DELETE /api/groups/4']);
});

it('so is one of a test without a server', async () => {
  await expect(api.get('/api/groups/my')).rejects.toThrow(
    'the test declares no answer to GET /api/groups/my',
  );
  expect(takeUndeclaredCalls()).toEqual(['GET /api/groups/my']);
});
