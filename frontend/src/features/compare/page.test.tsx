import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { components } from '@/api/schema';
import type { Simulation } from '@/api/types';
import { run } from '@/testing/fixtures';
import { signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';
import { chiSquared, holm } from '@/testing/summaries';

const second = '11111111-5d0a-4b7e-9d3f-1c2b3a4d5e6f';
const runs: Simulation[] = [
  { ...run, name: 'Pilot' },
  { ...run, simulationId: second, name: 'Second wording', personaCount: 40 },
];
const texts = ['What do you drink in the mornings?', 'What do you drink in the morning?'];
const counts = (coffee: number, n = 100) => [
  { value: 'Coffee', count: coffee, share: coffee / n },
  { value: 'Tea', count: n - coffee, share: 1 - coffee / n },
];
const group = (value: string, coffee: number) => ({
  value,
  n: 100,
  rows: [],
  bins: [],
  counts: counts(coffee),
});
const from = { part: '', group: 'B', base: 'A' };
const compared: components['schemas']['ComparedSimulations'] = {
  simulationIds: [run.simulationId, second],
  rule: holm,
  notice: '',
  questions: [
    {
      questionId: 31,
      order: 1,
      text: texts[0] ?? '',
      questionType: 'SINGLE_CHOICE',
      hasDegrees: false,
      agreeing: [],
      texts: [],
      n: 200,
      counts: counts(120, 200),
      rows: [],
      bins: [],
      groups: [group('A', 30), group('B', 90)],
      tests: [{ ...chiSquared, statistic: 75, p: 4.7e-18, adjustedP: 4.7e-18, effect: 0.61, distance: 0.6 }],
      differences: [
        { ...from, option: 'Coffee', difference: 0.6, low: 0.48, high: 0.69 },
        { ...from, option: 'Tea', difference: -0.6, low: -0.69, high: -0.48 },
      ],
      asked: texts.map((text, place) => ({
        run: place === 0 ? 'A' : 'B',
        questionId: 31 + 10 * place,
        order: 1,
        text,
      })),
    },
  ],
};

let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  // The second one is not among the caller's own.
  server.get('/api/simulations', () => [runs[0] as Simulation]);
  server.get(
    '/api/simulations/{simulationId}',
    ({ params }) => runs.find(({ simulationId }) => simulationId === params.simulationId) as never,
  );
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/comparison', ({ query }) =>
    query.get('others') === second ? compared : refusal(400, 'others: it is another run'),
  );
  signInAs('user');
});

it('two runs stand side by side by their names, with what differs and what was reworded', async () => {
  visit(`/compare?runs=${run.simulationId},${second}`);
  expect(
    await screen.findByRole('link', { name: /^Pilot · Coffee · 5 twins · twinlab-demo · Jan 1, 2026/ }),
  ).toBeVisible();
  expect(screen.getByRole('link', { name: /^Second wording · Coffee · 40 twins/ })).toBeVisible();
  // Also in the field, where the list of one's own runs does not have it.
  expect(screen.getAllByText(/^Second wording · Coffee/).length).toBeGreaterThan(1);
  expect(screen.queryByText(second)).not.toBeInTheDocument();
  const table = within(await screen.findByRole('table'));
  expect(table.getByText('30.0 %')).toBeVisible();
  expect(table.getByText('90.0 %')).toBeVisible();
  expect(table.getByText('+60.0')).toBeVisible();
  expect(table.getByText('p < .001')).toBeVisible();
  const words = screen.getByRole('heading', { name: 'In other words' }).closest('section') as HTMLElement;
  expect(within(words).getByText('mornings', { exact: false, selector: 'del' })).toBeVisible();
  expect(within(words).getByText('morning', { exact: false, selector: 'ins' })).toBeVisible();
});

it('with one run it says what to do', async () => {
  visit(`/compare?runs=${run.simulationId}`);
  expect(await screen.findByText('Nothing to compare yet')).toBeVisible();
});
