import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { group, survey } from '@/testing/fixtures';
import { shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [] }));
  server.get('/api/surveys/{surveyId}/questions', () => []);
  signInAs('user');
});

it('a file with errors is imported only as a draft', async () => {
  const lost = [
    { code: 'design', severity: 'error' as const, was: '/questions/0', now: 'read before', name: 'Q4' },
  ];
  const report = { kept: { questions: 1, live: 1, asked: 1 }, changed: [], lost, dropped: [] };
  server.get('/api/surveys/my', () => []);
  server.post('/api/surveys/import/qsf', ({ query }) => ({
    title: 'Fees',
    report,
    survey: query.get('draft') === 'true' ? { ...survey, title: 'Fees', questions: [] } : null,
  }));
  const { user } = visit('/survey-builder');
  await user.click(await screen.findByRole('button', { name: 'Import' }));
  const dialog = within(await shownDialog());
  await user.upload(
    document.querySelector('input[type=file]') as HTMLInputElement,
    new File(['{}'], 'fees.qsf'),
  );
  await user.click(await dialog.findByRole('button', { name: 'Check the file' }));
  expect(await dialog.findByText('“Fees” cannot be run as it is')).toBeVisible();
  expect(dialog.getByRole('button', { name: 'Import Survey' })).toBeDisabled();
  await user.click(dialog.getByRole('checkbox', { name: /Import it as a draft/ }));
  await user.click(dialog.getByRole('button', { name: 'Import Survey' }));
  expect(await screen.findByText('New survey: "Fees"')).toBeVisible();
});

it.each([
  ['fees.qsf', '{}'],
  ['fees.json', '{"pages": []}'],
])('a file from another program is shown before it is imported: %s', async (name, content) => {
  const entry = { code: 'image', severity: 'warning' as const, was: 'an image', now: 'its description' };
  const report = {
    kept: { questions: 9, live: 8, asked: 7 },
    changed: [{ ...entry, qid: 'QID4', name: 'Q4' }],
    lost: [],
    dropped: [],
  };
  server.get('/api/surveys/my', () => []);
  server.post('/api/surveys/import/qsf', ({ query }) => ({
    title: 'Fees',
    report,
    survey: query.get('check') === 'true' ? null : { ...survey, title: 'Fees', questions: [] },
  }));
  const { user } = visit('/survey-builder');
  await user.click(await screen.findByRole('button', { name: 'Import' }));
  const dialog = within(await shownDialog());
  const file = new File([content], name);
  await user.upload(document.querySelector('input[type=file]') as HTMLInputElement, file);
  await user.click(await dialog.findByRole('button', { name: 'Check the file' }));
  expect(await dialog.findByText('“Fees” can be imported')).toBeVisible();
  expect(dialog.getByText('Changed (1)')).toBeVisible();
  await user.click(dialog.getByRole('button', { name: 'Import Survey' }));
  expect(await screen.findByText('New survey: "Fees"')).toBeVisible();
});
