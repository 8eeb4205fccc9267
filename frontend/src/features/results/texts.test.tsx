import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Answer } from '@/api/client';
import type { ResultSummary, Texts } from '@/api/types';
import { factsOf, question, run, survey } from '@/testing/fixtures';
import { signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';
import { holm, untested } from '@/testing/summaries';

const TOKEN = 'Xb3kQ9pLm2Nd7Rt5Vw8Yz1Ac4Ef6Gh0JkLmNoPqR';
const CHARTS = `/simulation-responses/3/${run.simulationId}?tab=charts`;
let server: ReturnType<typeof mockServer>;
let asked: URLSearchParams[];

const whole = { n: 40, counts: [], rows: [], bins: [] };
const summary = (query: URLSearchParams): ResultSummary => ({
  simulationId: run.simulationId,
  by: query.get('by'),
  where: [],
  n: 40,
  notice: '',
  partial: false,
  attributes: ['Gender'],
  arms: [],
  positions: false,
  rule: holm,
  attributeValues: [
    {
      name: 'Gender',
      values: [
        { value: 'Male', n: 16 },
        { value: 'Female', n: 24 },
      ],
    },
  ],
  groups: [],
  questions: [
    {
      questionId: 38,
      order: 8,
      text: 'What would make you leave the car at home?',
      questionType: 'TEXT_ENTRY',
      ...untested,
      texts: [],
      ...whole,
      groups: query.has('by')
        ? [
            { value: 'Male', ...whole, n: 16 },
            { value: 'Female', ...whole, n: 24 },
          ]
        : [],
    },
  ],
});

/** Forty answers; thirty speak of the bus, of which search and group leave some. */
function texts(query: URLSearchParams): Texts {
  const split = query.has('by');
  const n = query.has('theme') || query.has('q') ? 30 : 40;
  return {
    total: 2,
    n,
    groups: split
      ? [
          { value: 'Male', n: 10 },
          { value: 'Female', n: 20 },
        ]
      : [],
    texts: [
      { text: 'A cheap bus.', count: 4, groups: [] },
      { text: 'The Bus, if it came', count: 1, groups: [] },
    ],
    themes: [
      {
        name: 'bus',
        n: 30,
        share: 0.75,
        groups: split
          ? [
              { value: 'Male', count: 10, share: 0.625 },
              { value: 'Female', count: 20, share: 0.833 },
            ]
          : [],
      },
      { name: 'Not grouped', n: 10, share: 0.25, groups: [] },
    ],
  };
}

beforeEach(() => {
  asked = [];
  server = mockServer();
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [question] }));
  server.get('/api/surveys/{surveyId}/questions', () => [question]);
  server.get('/api/simulations/{simulationId}', () => factsOf(run));
  server.get('/api/simulations/{simulationId}', () => ({ ...run, personaCount: 40 }) as never);
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/summary', ({ query }) => summary(query));
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/texts', ({ query }) => {
    asked.push(query);
    return texts(query);
  });
});

const chart = async () => within(await screen.findByRole('region', { name: 'Question 8' }));

it('a theme leaves its answers, with its words marked, and stands in the address', async () => {
  signInAs('user');
  const { user, router } = visit(CHARTS);
  const shown = await chart();
  expect(await shown.findByText('40 of 40 answers, 2 different')).toBeVisible();
  expect(shown.getByText('30 answers share words')).toBeVisible();
  await user.click(shown.getByRole('button', { name: 'bus' }));
  expect(await shown.findByText('30 of 40 answers, 2 different')).toBeVisible();
  expect(asked.at(-1)?.get('theme')).toBe('bus');
  expect(shown.getByRole('button', { name: 'bus', pressed: true })).toBeVisible();
  expect(shown.getAllByText(/^bus$/i, { selector: 'mark' })).toHaveLength(2);
  expect(new URLSearchParams(router.state.location.search).get('theme8')).toBe('bus');
  await user.click(shown.getByRole('button', { name: 'Remove theme bus' }));
  expect(await shown.findByText('40 of 40 answers, 2 different')).toBeVisible();
  expect(router.state.location.search).toBe('?tab=charts');
});

it('split charts say how much of each group a theme has, and read the answers of one group', async () => {
  signInAs('user');
  const { user } = visit(`${CHARTS}&by=Gender&q8=bus`);
  const shown = await chart();
  expect(await shown.findByRole('img', { name: 'Male 63 %, Female 83 %' })).toBeVisible();
  expect(shown.getByLabelText('Search the answers to question 8')).toHaveValue('bus');
  await user.click(shown.getByRole('button', { name: 'Female 20' }));
  await waitFor(() => expect(asked.at(-1)?.get('group')).toBe('Female'));
  expect(asked.at(-1)?.get('q')).toBe('bus');
  expect(await shown.findByText('4 (16.7 %)')).toBeVisible();
});

it('a group of another split is not asked for', async () => {
  signInAs('user');
  visit(`${CHARTS}&by=Gender&group8=Over+65`);
  const shown = await chart();
  expect(await shown.findByRole('button', { name: 'All', pressed: true })).toBeVisible();
  expect(asked.every((query) => !query.has('group'))).toBe(true);
});

it('texts are searched behind a link to the results, too', async () => {
  server.get(
    '/api/shared/{token}',
    () =>
      ({
        title: 'Mornings',
        description: '',
        status: 'COMPLETED',
        questions: [question],
        notice: 'x',
        surveyHash: 'affe87327',
        expiresAt: '2026-12-01T10:00:00Z',
        createdAt: '2026-11-01T10:00:00Z',
      }) as unknown as Answer<'/api/shared/{token}', 'get'>,
  );
  server.get('/api/shared/{token}/summary', ({ query }) => summary(query));
  server.get('/api/shared/{token}/texts', ({ query }) => {
    asked.push(query);
    return texts(query);
  });
  const { user } = visit(`/shared/${TOKEN}`);
  const shown = await chart();
  await user.type(await shown.findByLabelText('Search the answers to question 8'), 'bus');
  expect(await shown.findByText('30 of 40 answers, 2 different')).toBeVisible();
  expect(asked.at(-1)?.get('q')).toBe('bus');
});

it('themes and all texts that are found are saved as CSV, by group', async () => {
  const saved: { name: string; text: Promise<string> }[] = [];
  let content = Promise.resolve('');
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    content = (file as Blob).text();
    return 'blob:file';
  });
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push({ name: this.download, text: content });
  });
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/texts', ({ query }) => {
    asked.push(query);
    const { texts: both, ...rest } = texts(query);
    // A text in each page.
    const from = Number(query.get('offset'));
    return { ...rest, texts: both.slice(from, from + 1) };
  });
  signInAs('user');
  const { user } = visit(`${CHARTS}&by=Gender&q8=bus`);
  const shown = await chart();
  await user.click(shown.getByRole('button', { name: 'More about question 8' }));
  await user.click(await screen.findByRole('menuitem', { name: /CSV/ }));
  await expect.poll(() => saved.length).toBe(1);
  clicked.mockRestore();
  expect(saved[0]?.name).toBe('question-8-what-would-make-you-leave-the-car-at-home.csv');
  const lines = (await saved[0]?.text)?.trim().split('\r\n').slice(1);
  const start = 'What would make you leave the car at home?';
  expect(lines?.slice(0, 3)).toEqual([
    `${start},theme,bus,All twins,40,30,0.75`,
    `${start},theme,bus,Male,16,10,0.625`,
    `${start},theme,bus,Female,24,20,${20 / 24}`,
  ]);
  expect(lines?.filter((line) => line.includes('All twins')).slice(2)).toEqual([
    `${start},text,A cheap bus.,All twins,40,4,0.1`,
    `${start},text,"The Bus, if it came",All twins,40,1,0.025`,
  ]);
  expect(asked.at(-1)?.get('q')).toBe('bus');
});

it('texts that cannot be loaded say so', async () => {
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/texts', () =>
    refusal(404, 'No such question'),
  );
  signInAs('user');
  visit(CHARTS);
  expect(await screen.findByText(/^Failed to load the answers: no such question/i)).toBeVisible();
});
