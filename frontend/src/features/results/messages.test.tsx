import { screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { question, run, survey } from '@/testing/fixtures';
import { shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

const answer = { questionId: 31, status: 'answered', answer: 'Tea', answerValue: 'Tea' } as const;
const EXPORT = '/api/surveys/{surveyId}/simulation/{simulationId}/responses/export.xlsx';
let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [question] }));
  server.get('/api/surveys/{surveyId}/questions', () => [question]);
  server.get('/api/surveys/{surveyId}/simulation-history', () => [run]);
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/responses/matrix', () => [
    {
      personaId: 17,
      personaPid: '1204',
      attributes: {},
      personaName: 'Twin 17',
      answers: [answer],
    },
  ]);
  URL.createObjectURL = vi.fn(() => 'blob:file');
  URL.revokeObjectURL = vi.fn();
  signInAs('user');
});

const open = () => visit(`/simulation-responses/3/${run.simulationId}`);

it('a page that could not be loaded says so', async () => {
  server.break('get', '/api/surveys/{surveyId}/simulation-history');
  open();
  expect(await screen.findByText('Failed to load simulation responses')).toBeVisible();
});

it('a workbook that could not be made says so', async () => {
  server.break('get', EXPORT);
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Download Excel' }));
  expect(await screen.findByText('Failed to download Excel file')).toBeVisible();
});

it('a run without answers shows invented ones that cannot be taken for real', async () => {
  server.get('/api/surveys/{surveyId}/simulation-history', () => [{ ...run, successfulRequests: 0 }]);
  open();
  expect(await screen.findByText(/invented sample data/)).toBeVisible();
  expect(screen.getByRole('button', { name: 'Download Excel' })).toBeDisabled();
  expect(screen.queryByRole('tab', { name: 'Charts' })).not.toBeInTheDocument();
});

it('a run of a survey without questions has nothing to show', async () => {
  server.get('/api/surveys/{surveyId}/simulation-history', () => [{ ...run, successfulRequests: 0 }]);
  server.get('/api/surveys/{surveyId}/questions', () => []);
  open();
  expect(await screen.findByText('No Responses Found')).toBeVisible();
});

it("a twin's name opens all that it answered", async () => {
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Twin 17' }));
  const dialog = await shownDialog();
  expect(dialog).toHaveAccessibleName('Twin 17');
  expect(dialog).toHaveTextContent('Q1. What do you drink?Tea');
});
