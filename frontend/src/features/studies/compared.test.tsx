import { render, screen, within } from '@testing-library/react';
import { App } from 'antd';
import { MemoryRouter } from 'react-router';
import { SWRConfig } from 'swr';
import { expect, it } from 'vitest';
import type { components } from '@/api/schema';
import { run } from '@/testing/fixtures';
import { Unstyled } from '@/testing/render';
import { mockServer } from '@/testing/server';
import { holm } from '@/testing/summaries';
import { RunsCompared } from './RunsCompared';

type Compared = components['schemas']['RunsCompared'];

const runs = [1, 2].map((place) => ({
  ...run,
  simulationId: `0b9fd3a4-5d0a-4b7e-9d3f-00000000000${place}`,
  parameters: { ...run.parameters, cell: { repeat: place } },
}));
const question = {
  ...{ name: 'fair', text: 'How fair is it?', twins: 40, meanReference: 3, meanRun: 3.5, difference: 0.5 },
  ...{ low: 0.1, high: 0.9, p: 0.012, q: 0.036, adjustedP: 0.024, familySize: 2, alpha: 0.05 },
  ...{ adjustment: 'holm' as const, verdict: 'differs' as const, metrics: [], options: [] },
};

function compared(rule: Compared['rule'], analysis: 'preregistered' | null) {
  const server = mockServer();
  server.get('/api/studies/{studyId}/comparison', () => ({
    ...{
      reference: runs[0]?.simulationId ?? '',
      level: 0.95,
      draws: 2000,
      seed: 1,
      notice: '',
      repeats: [],
      rule,
    },
    runs: [{ simulationId: runs[1]?.simulationId ?? '', twins: 40, questions: [{ ...question, analysis }] }],
  }));
  const study = {
    ...{
      studyId: '5f4e3d2c-0000-4000-8000-000000000005',
      name: null,
      note: null,
      surveyId: 3,
      surveyTitle: '',
    },
    ...{ created_at: '2026-01-01T09:00:00Z', status: 'COMPLETED' as const, totalRequests: 80, runs },
    ...{ successfulRequests: 80, failedRequests: 0, skippedRequests: 0, isValidation: false, plan: null },
  };
  render(
    <SWRConfig value={{ provider: () => new Map() }}>
      <MemoryRouter>
        <App>
          <RunsCompared study={study} />
        </App>
      </MemoryRouter>
    </SWRConfig>,
    { wrapper: Unstyled },
  );
}

it('by a frozen plan the questions have its adjusted p, and the rule says what is not applied', async () => {
  const words = 'Tests by the frozen plan: p by Holm. Not applied by the program: weights (raked).';
  compared({ ...holm, byPlan: true, words }, 'preregistered');
  expect(await screen.findByText(words)).toBeVisible();
  const row = within(screen.getByRole('row', { name: /How fair is it/ }));
  expect(row.getByText('Preregistered')).toBeVisible();
  expect(row.getByText('0.024').tagName).toBe('STRONG');
  expect(screen.getByRole('columnheader', { name: 'Adjusted p' })).toBeVisible();
});

it('without a plan they have q, and nothing is preregistered', async () => {
  compared({ ...holm, adjustment: 'benjamini_hochberg' }, null);
  expect(await screen.findByRole('columnheader', { name: 'q' })).toBeVisible();
  expect(screen.queryByRole('columnheader', { name: 'Analysis' })).not.toBeInTheDocument();
});
