import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { components } from '@/api/schema';
import type { SimulationStatus } from '@/api/types';
import { factsOf, progress, question, run, survey } from '@/testing/fixtures';
import { choose, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';
import { chiSquared, holm, untested } from '@/testing/summaries';

type Summary = components['schemas']['ResponsesSummary'];
type Figures = components['schemas']['Figures'];

const SUMMARY = '/api/surveys/{surveyId}/simulation/{simulationId}/summary';
const RESULTS = `/simulation-responses/3/${run.simulationId}`;
let server: ReturnType<typeof mockServer>;
let asked: URLSearchParams[];
let status: SimulationStatus;

const drinks = (coffee: number, tea: number): Figures => ({
  n: coffee + tea,
  counts: [
    { value: 'Coffee', count: coffee, share: coffee / (coffee + tea) },
    { value: 'Tea', count: tea, share: tea / (coffee + tea) },
  ],
  rows: [],
  bins: [],
});

/** Splits and filters forty twins as the server does. */
function summary(query: URLSearchParams): Summary {
  const by = query.get('by');
  const values = [
    { value: 'Male', n: 18 },
    { value: 'Female', n: 22 },
  ];
  return {
    simulationId: run.simulationId,
    by,
    where: query.getAll('where'),
    n: query.has('where') ? 10 : 40,
    notice: '',
    partial: status !== 'COMPLETED',
    attributes: ['Gender'],
    arms: [],
    positions: false,
    attributeValues: [{ name: 'Gender', values }],
    groups: by === 'Gender' ? values : [],
    rule: holm,
    questions: [
      {
        questionId: 31,
        order: 1,
        text: 'What do you drink?',
        questionType: 'SINGLE_CHOICE',
        texts: [],
        ...drinks(10, 30),
        ...(by === 'Gender' ? { ...untested, tests: [chiSquared] } : untested),
        groups:
          by === 'Gender'
            ? [
                { value: 'Male', ...drinks(9, 9) },
                { value: 'Female', ...drinks(1, 21) },
              ]
            : [],
      },
      {
        questionId: 32,
        order: 2,
        text: 'And to eat?',
        questionType: 'MULTIPLE_CHOICE',
        texts: [],
        ...drinks(20, 30),
        ...untested,
        n: 40,
        groups: [],
      },
    ],
  };
}

beforeEach(() => {
  asked = [];
  server = mockServer();
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [question] }));
  server.get('/api/surveys/{surveyId}/questions', () => [question]);
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/responses/matrix', () => []);
  status = 'COMPLETED';
  server.get('/api/simulations/{simulationId}', () => factsOf({ ...run, status, personaCount: 40 }));
  server.get(SUMMARY, ({ query }) => {
    asked.push(query);
    return query.get('by') === 'Nonsense' ? refusal(400, 'There is no attribute Nonsense') : summary(query);
  });
  signInAs('user');
});

async function charts(search = '') {
  const visited = visit(`${RESULTS}${search}`);
  await visited.user.click(await screen.findByRole('tab', { name: 'Charts' }));
  return { ...visited, first: await screen.findByRole('region', { name: 'Question 1' }) };
}

it('the split is in the address, and a link with it opens the same view', async () => {
  const { user, router, first } = await charts();
  expect(within(first).getByText('25.0 % · 10')).toBeVisible();
  await choose(user, 'Split by', 'Gender');
  expect(await within(first).findByText('Female')).toBeVisible();
  expect(new URLSearchParams(router.state.location.search).get('by')).toBe('Gender');
  expect(asked.at(-1)?.get('by')).toBe('Gender');
});

it('the charts of the split before are soft until those of the chosen one are there', async () => {
  const { user, first } = await charts();
  const sheet = first.parentElement;
  expect(sheet).toHaveAttribute('aria-busy', 'false');
  let answer: () => void = () => undefined;
  const held = new Promise<undefined>((resolve) => {
    answer = () => resolve(undefined);
  });
  server.get(SUMMARY, async ({ query }) => {
    await held;
    return summary(query);
  });
  await choose(user, 'Split by', 'Gender');
  await waitFor(() => expect(sheet).toHaveAttribute('aria-busy', 'true'));
  expect(sheet).toHaveClass('charts-awaited');
  answer();
  expect(await within(first).findByText('Female')).toBeVisible();
  expect(sheet).toHaveAttribute('aria-busy', 'false');
});

it('piped text is a chip with its name, and what each arm read where the arms split it', async () => {
  const ask = (query: URLSearchParams): Summary => {
    const by = query.get('by');
    const whole = summary(new URLSearchParams());
    const [first, ...rest] = whole.questions;
    if (first === undefined) throw new Error('there is a question');
    const groups = [
      { value: 'low', n: 20 },
      { value: 'high', n: 20 },
    ];
    const split = groups.map(({ value }) => ({ value, ...drinks(5, 15) }));
    return {
      ...whole,
      by,
      attributes: ['fee_arm'],
      arms: ['fee_arm'],
      attributeValues: [{ name: 'fee_arm', values: groups }],
      ...(by !== null && {
        groups,
        armTexts: { low: { fee: 'a resort fee' }, high: { fee: 'a service fee' } },
      }),
      questions: [
        { ...first, text: 'How fair is {{field:fee}}?', groups: by === null ? [] : split },
        ...rest,
      ],
    };
  };
  server.get(SUMMARY, ({ query }) => ask(query));
  const { user, first } = await charts();
  const heading = within(first).getByRole('heading', { level: 2 });
  expect(heading).toHaveTextContent('Q1. How fair is fee?');
  expect(within(heading).getByText('fee', { selector: 'mark' })).toBeVisible();
  await choose(user, 'Split by', 'fee_arm');
  expect(await within(first).findByText('a resort fee', { selector: 'mark' })).toBeVisible();
  const readings = [...first.querySelectorAll('.chart-readings > div')].map((each) => each.textContent);
  expect(readings).toEqual(['lowHow fair is a resort fee?', 'highHow fair is a service fee?']);
  expect(document.body).not.toHaveTextContent('{{');
});

it('filters are added and removed, and say how many twins are left', async () => {
  const { user, router } = await charts('?by=Gender');
  await choose(user, 'Filter', 'Q1: Tea');
  const chip = await screen.findByRole('button', { name: 'Remove filter Q1: Tea' });
  expect(await screen.findByText('10', { selector: 'p strong' })).toBeVisible();
  expect(asked.at(-1)?.getAll('where')).toEqual(['question:31:Tea']);
  chip.focus();
  await user.keyboard('{Enter}');
  expect(screen.queryByRole('button', { name: 'Remove filter Q1: Tea' })).not.toBeInTheDocument();
  expect(router.state.location.search).toBe('?by=Gender&tab=charts');
});

it('answers come in the order of the question or of their shares', async () => {
  const { user, first } = await charts();
  const order = () =>
    within(first)
      .getAllByText(/^(Coffee|Tea)$/, { selector: 'tspan' })
      .map((label) => label.textContent);
  expect(order()).toEqual(['Coffee', 'Tea']);
  await user.click(screen.getByText('By share'));
  expect(order()).toEqual(['Tea', 'Coffee']);
});

it('a question with several answers says so', async () => {
  await charts();
  const second = screen.getByRole('region', { name: 'Question 2' });
  expect(within(second).getByText('several answers possible')).toBeVisible();
});

it('a chart is a table on request', async () => {
  const { user, first } = await charts('?by=Gender');
  await user.click(within(first).getByRole('button', { name: 'More about question 1' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Show as table' }));
  const table = within(first).getByRole('table');
  expect(within(table).getByRole('columnheader', { name: 'Female' })).toBeVisible();
  expect(within(table).getByText('95.5 % (21)')).toBeVisible();
});

it('a chart is saved as CSV', async () => {
  const names: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download);
  });
  const { user, first } = await charts();
  await user.click(within(first).getByRole('button', { name: 'More about question 1' }));
  await user.click(await screen.findByRole('menuitem', { name: /CSV/ }));
  expect(names).toEqual(['question-1-what-do-you-drink.csv']);
});

it('a link whose split this run does not have says so and leads to all answers', async () => {
  const { user } = visit(`${RESULTS}?by=Nonsense`);
  await user.click(await screen.findByRole('tab', { name: 'Charts' }));
  expect(await screen.findByText('This run cannot be split or filtered that way.')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Show all answers' }));
  expect(await screen.findByRole('region', { name: 'Question 1' })).toBeVisible();
});

it('the rule of a frozen plan stands above the charts of a split', async () => {
  const words = 'Tests by the frozen plan: p by Bonferroni. Not applied by the program: weights (raked).';
  const rule = { ...holm, adjustment: 'bonferroni' as const, alpha: 0.01, byPlan: true, words };
  server.get(SUMMARY, ({ query }) => ({ ...summary(query), rule }));
  const { user } = await charts();
  expect(screen.queryByText(/^Tests by the frozen plan/)).not.toBeInTheDocument();
  await choose(user, 'Split by', 'Gender');
  expect(await screen.findByText(words)).toBeVisible();
});

it('charts of a run that moves grow, are labelled partial, and test nothing before its end', async () => {
  status = 'RUNNING';
  server.get('/api/simulations/{simulationId}/live-progress', () => progress);
  const { first } = await charts('?by=Gender');
  expect(screen.getByText('Live, partial.')).toBeVisible();
  expect(within(first).getByText('No test while answers come in.')).toBeVisible();
  expect(first).toHaveTextContent('n = 40, partial');
  const before = asked.length;
  await waitFor(() => expect(asked.length).toBeGreaterThan(before));
  status = 'COMPLETED';
  expect(await within(first).findByText(/^Differs by Gender/)).toBeVisible();
  expect(screen.queryByText('Live, partial.')).not.toBeInTheDocument();
});
