import { render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { App } from 'antd';
import { MemoryRouter } from 'react-router';
import { expect, it } from 'vitest';
import { run } from '@/testing/fixtures';
import { signInAs } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';
import { intervalText, points, signed } from './figures';
import People, { type Compared } from './People';

const CALL = '/api/surveys/{surveyId}/simulation/{simulationId}/people';

const compared: Compared = {
  people: 3,
  twins: 3,
  pairs: 2,
  paired: true,
  level: 0.95,
  draws: 2000,
  seed: 1,
  family: 1,
  questions: [
    {
      name: 'fair',
      text: 'How fair is it?',
      nPeople: 2,
      nTwins: 2,
      meanPeople: 4,
      meanTwins: 3.5,
      difference: -0.5,
      low: -1.2,
      high: 0.2,
      equivalent: false,
      p: 0.012,
      q: 0.012,
      metrics: [
        { metric: 'accuracy', value: 0.875, n: 2, note: 'n too small' },
        { metric: 'r', value: 0.3, n: 2, low: 0.1, high: 0.5 },
      ],
      options: [],
    },
  ],
  overall: { accuracy: { value: 0.875, n: 2, note: 'n too small' } },
  arms: {
    reference: 'control',
    effects: [
      {
        item: 'fair',
        arm: 'fee',
        people: { difference: 0.4, low: 0.1, high: 0.7, d: 0.3, p: 0.01 },
        twins: { difference: -0.1, low: -0.3, high: 0.1, d: -0.1, p: 0.4 },
        sameSign: false,
      },
    ],
  },
  groups: [],
  file: {
    matched: [{ name: 'fair', columns: ['Fair'], by: 'similar_name' }],
    unmatchedQuestions: ['why'],
    unmatchedColumns: ['mood'],
    dropped: [{ column: 'email', reason: 'personal' }],
    unread: [{ name: 'fair', cell: 'violet', count: 1 }],
  },
  rectified: {
    pairing: 'id',
    refusal: null,
    reference: null,
    estimates: [
      {
        name: 'pay',
        text: 'What would you pay?',
        category: null,
        arm: null,
        n: 120,
        others: 1938,
        people: { estimate: 10, low: 9, high: 11 },
        twins: { estimate: 12, low: 11.9, high: 12.1 },
        rectified: { estimate: 10.2, low: 9.4, high: 11 },
        lambda: 0.4,
        rho: 0.5,
        widthRatio: 0.9,
        nEffective: 148,
        nPlanned: 150,
        sentence: 'The twins are worth 28 extra people.',
        note: null,
      },
    ],
    refused: [{ name: 'fair', reason: '20 people are too few' }],
    assumption: 'The people asked are a random sample of those whom the twins stand for.',
  },
  notice: '',
};

/** The tab, with a file chosen. */
async function withFile(name = 'people.csv', type = 'text/csv') {
  signInAs('user');
  const user = userEvent.setup();
  render(
    <MemoryRouter>
      <App>
        <People run={run} />
      </App>
    </MemoryRouter>,
  );
  expect(screen.getByRole('button', { name: 'Compare' })).toBeDisabled();
  const input = document.querySelector('input[type=file]');
  if (!(input instanceof HTMLInputElement)) throw new Error('there is no input for files');
  await user.upload(input, new File(['pid,Fair\na,4\n'], name, { type }));
  expect(await screen.findByRole('button', { name })).toBeVisible();
  return user;
}

it('sets twins beside people and tells how the file was read', async () => {
  const server = mockServer();
  const asked: (string | null)[] = [];
  server.post(CALL, ({ query }) => {
    asked.push(query.get('arm'), query.get('weight'));
    return compared;
  });
  const user = await withFile();
  await user.type(screen.getByLabelText('Column of the arm'), 'fee_arm ');
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  expect(await screen.findByRole('status')).toHaveTextContent('3 people, 3 twins, 2 of them pairs');
  expect(asked).toEqual(['fee_arm', null]);
  const row = screen.getByRole('row', { name: /How fair is it\?/ });
  expect(row).toHaveTextContent('−0.50[−1.20, +0.20]');
  expect(row).toHaveTextContent('0.88n too small');
  expect(row).toHaveTextContent('0.30[0.10, 0.50]');
  expect(row).toHaveTextContent('p = .012q = .012');
  const effects = screen.getByRole('row', { name: /^fair fee/ });
  expect(within(effects).getByText('No')).toBeVisible();
  const rectified = within(screen.getByRole('region', { name: 'Rectified estimates' }));
  const estimate = rectified.getByRole('row', { name: /What would you pay/ });
  expect(estimate).toHaveTextContent('120 / 1,938');
  expect(estimate).toHaveTextContent('10.20[9.40, 11.00]');
  expect(estimate).toHaveTextContent('The twins are worth 28 extra people.');
  expect(rectified.getByText('20 people are too few. (fair)')).toBeVisible();
  await user.click(screen.getByRole('button', { name: /How the file was read: 1 questions matched, 1 not/ }));
  for (const text of [
    'fair: Fair (by similar name)',
    'why',
    'mood',
    'email (personal)',
    'fair: “violet” (1)',
  ])
    expect(await screen.findByText(text)).toBeVisible();
});

it('says what is wrong with a file', async () => {
  mockServer().post(CALL, () => refusal(400, 'file: there is no column kilos'));
  const user = await withFile('people.sav', 'application/x-spss-sav');
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  expect(await screen.findByText(/^Failed to compare.*no column kilos/)).toBeVisible();
});

it('a figure says its interval, or why it has none', () => {
  expect(intervalText({ value: 0.75, n: 200, low: 0.7, high: 0.8 })).toBe('[0.70, 0.80]');
  expect(intervalText({ value: 0.75, n: 3, low: null, high: null, note: 'n too small' })).toBe('n too small');
  expect([signed(-0.5), points(0.125)]).toEqual(['−0.50', '+12.5']);
});
