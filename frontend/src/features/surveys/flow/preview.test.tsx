import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { designServer, openDesign, twoBlocks, type DesignState } from '@/testing/design';
import { choose } from '@/testing/render';
import { refusal } from '@/testing/server';

let server: ReturnType<typeof designServer>['server'];
let state: DesignState;

/** The preview of a twin that is asked nothing. */
const walk = { personaId: 7, seed: 1, arms: {}, fields: {}, asked: [], skipped: [], prompts: [] };

beforeEach(() => {
  ({ server, state } = designServer(twoBlocks));
});

async function open() {
  const { user } = await openDesign();
  await screen.findByRole('article', { name: 'Block main' });
  await user.click(screen.getByRole('button', { name: 'Open' }));
  return user;
}

it('a preview that failed is made again once the flow was mended', async () => {
  server.get('/api/surveys/{surveyId}/preview', () =>
    state.design.hash === 'h0'
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
  state.design.flow = [{ random: 'fee_arm', take: 1, of: [of('resort'), of('service')] }, ...twoBlocks];
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
