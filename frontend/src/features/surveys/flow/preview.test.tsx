import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { Design } from '@/api/design';
import { config, group, question, settings, survey } from '@/testing/fixtures';
import { choose, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

let server: ReturnType<typeof mockServer>;
let saved: Design & { hash: string };

const two: Design['flow'] = [
  { block: 'screen', questions: ['ok'] },
  { block: 'main', questions: ['drink', 'why'] },
];

/** The preview of a twin that is asked nothing. */
const walk = { personaId: 7, seed: 1, arms: {}, fields: {}, asked: [], skipped: [], prompts: [] };

beforeEach(() => {
  saved = { flow: two, tables: {}, hash: 'h0' };
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [] }));
  server.get('/api/auth/settings', () => settings);
  server.get('/api/surveys/{surveyId}/simulation-config', () => config);
  server.get('/api/surveys/{surveyId}/questions', () =>
    ['ok', 'drink', 'why'].map((name, index) => ({ ...question, id: index + 1, order: index + 1, name })),
  );
  server.get('/api/personas/attributes', () => []);
  server.get('/api/surveys/{surveyId}/design', () => saved as never);
  server.put('/api/surveys/{surveyId}/design', ({ body }) => {
    saved = { ...(body as Design), hash: 'h1' };
    return saved as never;
  });
  server.post('/api/surveys/{surveyId}/design/check', () => ({ findings: [], requestsPerTwin: 3, arms: [] }));
  signInAs('user');
});

async function open() {
  const { user } = visit('/surveys/3?tab=flow');
  await screen.findByRole('article', { name: 'Block main' });
  await user.click(screen.getByRole('button', { name: 'Open' }));
  return user;
}

it('a preview that failed is made again once the flow was mended', async () => {
  server.get('/api/surveys/{surveyId}/preview', () =>
    saved.hash === 'h0'
      ? refusal(400, '/flow/0: There is no question')
      : { ...walk, fields: { fee: 'a resort fee' } },
  );
  const user = await open();
  expect(await screen.findByText(/There is no question/)).toBeVisible();
  screen.getByRole('button', { name: 'Move Block main' }).focus();
  await user.keyboard('{Delete}');
  expect(await screen.findByText('a resort fee')).toBeVisible();
  expect(screen.queryByText(/There is no question/)).toBeNull();
});

it('the preview of a matrix and of a sum has the answers in the order in which their rows and options are shown', async () => {
  const asked = { call: 1, text: '', options: [], rows: [], minDescription: null, maxDescription: null };
  const labels = ['Bad', 'Good'];
  server.get('/api/surveys/{surveyId}/preview', () => ({
    ...walk,
    // An object of the server's has its keys in the order of the alphabet.
    asked: [
      {
        ...asked,
        name: 'drink',
        type: 'MATRIX' as const,
        options: labels,
        rows: ['Tea', 'Milk', 'Rum'],
        answer: { Milk: 'Good', Rum: 'Bad', Tea: 'Bad' },
      },
      {
        ...asked,
        name: 'why',
        type: 'CONSTANT_SUM' as const,
        options: ['Taste', 'Price'],
        answer: { Price: 0, Taste: 100 },
      },
    ],
  }));
  await open();
  expect(await screen.findByText('Tea: Bad; Milk: Good; Rum: Bad')).toBeVisible();
  expect(screen.getByText('Taste: 100; Price: 0')).toBeVisible();
});

it('the preview in an arm asks for the walk of a twin that is put there', async () => {
  const of = (arm: string) => ({ arm, flow: [] });
  saved = { ...saved, flow: [{ random: 'fee_arm', take: 1, of: [of('resort'), of('service')] }, ...two] };
  server.get('/api/surveys/{surveyId}/preview', ({ query }) => ({
    ...walk,
    arms: JSON.parse(query.get('arms') ?? '{"fee_arm": "resort"}') as Record<string, string>,
  }));
  const user = await open();
  const dealt = await screen.findByLabelText('Dealt');
  expect(dealt).toHaveTextContent('resort');
  await choose(user, 'fee_arm', 'service');
  await waitFor(() => expect(screen.getByLabelText('Dealt')).toHaveTextContent('service'));
});
