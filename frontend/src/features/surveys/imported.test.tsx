import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { LossReport } from '@/api/design';
import { visit } from '@/testing/render';
import { surveyServer } from '@/testing/surveys';

const entry = { code: 'image', severity: 'warning', was: 'a bottle', now: 'its description' } as const;
const report: LossReport = {
  kept: { questions: 3, live: 2, asked: 1 },
  changed: [{ ...entry, severity: 'note', name: 'q1', was: 'Q 1', now: 'q1' }],
  lost: [entry],
  dropped: [{ ...entry, severity: 'note', was: 'a timer', now: 'nothing' }],
};

const open = async (source: string, found = report) => {
  const server = surveyServer(() => []);
  server.get('/api/surveys/{surveyId}/design', () => ({ flow: [], tables: {}, hash: 'h0' }) as never);
  server.get('/api/surveys/{surveyId}/import-report', () => ({
    import: { source, importedAt: '2026-11-26T10:00:00Z', report: found as never },
  }));
  const visited = visit('/surveys/3');
  await screen.findByText('No questions found');
  return visited;
};

it('an imported survey says from where, when and with what losses, until somebody has read it', async () => {
  const { user } = await open('qualtrics');
  const said = await screen.findByText('Imported from Qualtrics on Nov 26, 2026: 1 warning, 2 notes');
  const report = within(said.closest('[role="status"]') as HTMLElement);
  await user.click(report.getByText('What was changed, lost and dropped'));
  expect(report.getByText('Lost (1)')).toBeVisible();
  expect(report.getByText(/a bottle/)).toBeVisible();
  await user.click(report.getByRole('button', { name: 'Hide the report of the import' }));
  expect(screen.queryByText(/^Imported from/)).toBeNull();
});

it('a report that was read stays hidden, and that of another survey does not', async () => {
  localStorage.setItem('import-report-read-3', 'yes');
  await open('surveyjs');
  expect(screen.queryByText(/^Imported from/)).toBeNull();
  localStorage.removeItem('import-report-read-3');
});

it('an import that lost nothing says so in one line', async () => {
  await open('surveyjs', { ...report, changed: [], lost: [], dropped: [] });
  expect(await screen.findByText('Imported from SurveyJS on Nov 26, 2026')).toBeVisible();
  expect(screen.queryByText('What was changed, lost and dropped')).toBeNull();
});
