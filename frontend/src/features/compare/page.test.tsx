import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { ResultSummary, Simulation } from '@/api/types';
import { run } from '@/testing/fixtures';
import { signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

const second = '11111111-5d0a-4b7e-9d3f-1c2b3a4d5e6f';
const runs: Simulation[] = [
  { ...run, name: 'Pilot' },
  { ...run, simulationId: second, name: 'Second wording', personaCount: 40 },
];
const summaryOf = (simulationId: string): ResultSummary => {
  const coffee = simulationId === second ? 90 : 30;
  return {
    simulationId,
    where: [],
    n: 100,
    notice: '',
    partial: false,
    attributes: [],
    arms: [],
    positions: false,
    attributeValues: [],
    groups: [],
    questions: [
      {
        questionId: simulationId === second ? 41 : 31,
        order: 1,
        text:
          simulationId === second
            ? 'What do you drink in the morning?'
            : 'What do you drink in the mornings?',
        questionType: 'SINGLE_CHOICE',
        texts: [],
        n: 100,
        counts: [
          { value: 'Coffee', count: coffee, share: coffee / 100 },
          { value: 'Tea', count: 100 - coffee, share: 1 - coffee / 100 },
        ],
        rows: [],
        bins: [],
        groups: [],
      },
    ],
  };
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
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/summary', ({ params }) =>
    summaryOf(params.simulationId ?? ''),
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
  const words = screen.getByRole('heading', { name: 'In other words' }).closest('section') as HTMLElement;
  expect(within(words).getByText('mornings', { exact: false, selector: 'del' })).toBeVisible();
  expect(within(words).getByText('morning', { exact: false, selector: 'ins' })).toBeVisible();
});

it('with one run it says what to do', async () => {
  visit(`/compare?runs=${run.simulationId}`);
  expect(await screen.findByText('Nothing to compare yet')).toBeVisible();
});
