import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { MatrixRow, Question } from '@/api/types';
import { factsOf, group, question, run, survey } from '@/testing/fixtures';
import { shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';
import { answersTo, ratingsOf, rowsOf } from './matrix';
import { PERSONA, sortQuery } from './matrixSort';
import { holm } from '@/testing/summaries';

const MATRIX = '/api/surveys/{surveyId}/simulation/{simulationId}/responses/matrix';
const FORMATTED = '/api/surveys/{surveyId}/simulation/{simulationId}/responses/formatted';
const ADDRESS = `/simulation-responses/3/${run.simulationId}`;
const agree: Question = {
  ...question,
  id: 32,
  order: 2,
  text: 'How much do you agree?',
  questionType: 'MATRIX',
  options: [],
  scale_labels: ['Disagree', 'Agree'],
  subQuestions: ['Coffee wakes me', 'Tea calms me'],
};
const twin = (personaId: number, gender: string, drink: string): MatrixRow => ({
  personaId,
  personaPid: `p${personaId}`,
  personaName: `Twin ${personaId}`,
  attributes: { Gender: gender },
  answers: [
    { questionId: 31, status: 'answered', answer: drink, answerValue: drink },
    {
      questionId: 32,
      status: 'answered',
      answer: 'Q1: Agree | Q2: Disagree',
      answerValue: { 'Coffee wakes me': 'Agree', 'Tea calms me': 'Disagree' },
    },
  ],
});
const failed: MatrixRow = {
  ...twin(3, 'Female', 'Tea'),
  answers: [
    { questionId: 31, status: 'failed' },
    { questionId: 32, status: 'failed' },
  ],
};
const rows = [twin(1, 'Male', 'Coffee'), twin(2, 'Female', 'Tea'), failed];
let server: ReturnType<typeof mockServer>;

/** The part of the rows that a query asks for, as the server answers. */
function pageOf(all: readonly MatrixRow[], query: URLSearchParams): Response {
  const offset = Number(query.get('offset'));
  const page = all.slice(offset, offset + Number(query.get('limit')));
  return Response.json(page, { headers: { 'X-Total-Count': String(all.length) } });
}

/** The queries that the matrix was asked with, oldest first. */
const asked = () => server.calls.filter(({ path }) => path.endsWith('/matrix')).map(({ query }) => query);

beforeEach(() => {
  server = mockServer();
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [question, agree] }));
  server.get('/api/surveys/{surveyId}/questions', () => [question, agree]);
  server.get('/api/simulations/{simulationId}', () => factsOf(run));
  server.get('/api/groups/my', () => [group]);
  server.get(MATRIX, ({ query }) => pageOf(rows, query));
  signInAs('user');
});

it('a matrix question is read by sub-question, typed or not', () => {
  expect(ratingsOf(rows[0]?.answers[1], agree)).toEqual(['Agree', 'Disagree']);
  const untyped = { questionId: 32, status: 'answered', answer: 'Q2: Agree' } as const;
  expect(ratingsOf(untyped, agree)).toEqual(['–', 'Agree']);
  expect(ratingsOf(undefined, agree)).toEqual(['–', '–']);
  expect(answersTo(agree, 1, rows[0]?.answers[1])).toEqual([
    { question: 'Q2. How much do you agree? Coffee wakes me', answer: 'Agree' },
    { question: 'Tea calms me', answer: 'Disagree' },
  ]);
  expect(answersTo(agree, 1, failed.answers[1])).toHaveLength(1);
});

it('answers one by one make rows, in which unanswered questions are open', () => {
  const one = { personaId: 9, personaName: 'Twin 9', questionId: 32, answer: 'Q1: Agree', answerValue: {} };
  const made = rowsOf([one as never], [question, agree]);
  expect(made).toHaveLength(1);
  expect(made[0]?.answers.map(({ status }) => status)).toEqual(['open', 'answered']);
});

it('heads say what was asked, and a failed answer is said once', async () => {
  visit(ADDRESS);
  expect(await screen.findByRole('columnheader', { name: 'Q1 What do you drink?' })).toBeVisible();
  expect(screen.getByTitle('How much do you agree?')).toBeVisible();
  expect(screen.getByRole('columnheader', { name: 'Tea calms me' })).toBeVisible();
  expect(screen.getAllByText('Disagree')).toHaveLength(2);
  const row = within(screen.getByRole('row', { name: /^Twin 3/ }));
  expect(row.getAllByRole('cell').map((cell) => cell.textContent)).toEqual(['Twin 3', 'failed', 'failed']);
});

it('is searched by the server as the address says', async () => {
  server.get(MATRIX, ({ query }) => pageOf(query.has('q') ? rows.slice(1) : rows, query));
  const { user } = visit(`${ADDRESS}?q=female`);
  expect(await screen.findByText('2 of 3 digital twins')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Twin 1' })).not.toBeInTheDocument();
  expect(asked().map((query) => query.get('q'))).toContain('female');
  await user.clear(screen.getByRole('searchbox', { name: 'Search twins and answers' }));
  expect(await screen.findByRole('button', { name: 'Twin 1' })).toBeVisible();
  expect(screen.queryByText(/of 3 digital twins/)).not.toBeInTheDocument();
});

it('columns have the names that the server sorts by', () => {
  expect(sortQuery(null)).toEqual({});
  expect(sortQuery({ column: PERSONA, down: true })).toEqual({ sort: 'persona', order: 'desc' });
  expect(sortQuery({ column: '31', down: false })).toEqual({ sort: 'question:31' });
  expect(sortQuery({ column: '32-1', down: false })).toEqual({ sort: 'question:32:row:2' });
});

it('is sorted by the server by a column, which the address says', async () => {
  server.get(MATRIX, ({ query }) =>
    pageOf(query.get('order') === 'desc' ? [...rows].reverse() : rows, query),
  );
  const { user, router } = visit(ADDRESS);
  const names = () =>
    screen.getAllByRole('button', { name: /^Twin \d/ }).map(({ textContent }) => textContent);
  await user.click(await screen.findByRole('columnheader', { name: 'Q1 What do you drink?' }));
  await waitFor(() => expect(asked().at(-1)?.get('sort')).toBe('question:31'));
  expect(router.state.location.search).toBe('?column=31');
  expect(screen.getByRole('columnheader', { name: 'Q1 What do you drink?' })).toHaveAttribute(
    'aria-sort',
    'ascending',
  );
  await user.click(screen.getByRole('columnheader', { name: 'Q1 What do you drink?' }));
  await waitFor(() => expect(names()).toEqual(['Twin 3', 'Twin 2', 'Twin 1']));
  expect(router.state.location.search).toBe('?column=31&down=1');
});

it('paper has every answer of the page, twin by twin', async () => {
  visit(ADDRESS);
  await screen.findByRole('button', { name: 'Twin 1' });
  expect(screen.queryByRole('heading', { name: 'Twin 2' })).not.toBeInTheDocument();
  act(() => void window.dispatchEvent(new Event('beforeprint')));
  const second = screen.getByRole('heading', { name: 'Twin 2' }).parentElement as HTMLElement;
  expect(
    within(second)
      .getAllByRole('definition')
      .map(({ textContent }) => textContent),
  ).toEqual(['Tea', 'Agree', 'Disagree']);
  act(() => void window.dispatchEvent(new Event('afterprint')));
  expect(screen.queryByRole('heading', { name: 'Twin 2' })).not.toBeInTheDocument();
});

it('is narrowed on the spot by a value, from its first page', async () => {
  server.get(MATRIX, ({ query }) =>
    pageOf(query.getAll('where').join() === 'Gender:Female' ? rows.slice(1) : rows, query),
  );
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/summary', () => ({
    simulationId: run.simulationId,
    by: null,
    where: [],
    n: 3,
    notice: '',
    partial: false,
    attributes: ['Gender'],
    arms: [],
    positions: false,
    rule: holm,
    attributeValues: [{ name: 'Gender', values: [{ value: 'Female', n: 2 }] }],
    groups: [],
    questions: [],
  }));
  const { user, router } = visit(`${ADDRESS}?q=twin&page=2`);
  await user.click(await screen.findByRole('combobox', { name: 'Add filter' }));
  await user.click(await screen.findByTitle('Gender: Female'));
  expect(await screen.findByText('2 of 2 digital twins')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Remove filter Gender: Female' })).toBeVisible();
  expect(router.state.location.search).toBe('?q=twin&where=Gender%3AFemale');
});

it('shows the twins that the filter of the charts lets through, and says so', async () => {
  server.get(MATRIX, ({ query }) => pageOf(query.has('where') ? rows.slice(1) : rows, query));
  const { user } = visit(`${ADDRESS}?where=Gender%3AFemale`);
  expect(await screen.findByRole('button', { name: 'Twin 2' })).toBeVisible();
  expect(asked().map((query) => query.getAll('where').join())).toEqual(['Gender:Female']);
  await user.click(screen.getByRole('button', { name: 'Remove filter Gender: Female' }));
  expect(await screen.findByRole('button', { name: 'Twin 1' })).toBeVisible();
});

it('is made of the answers alone where the server has no matrix', async () => {
  server.break('get', MATRIX);
  server.get(FORMATTED, () => [
    {
      ...{ id: 1, personaId: 5, personaName: 'Twin 5', answer: 'Tea', answerValue: 'Tea' },
      ...{ questionId: 31, questionText: question.text, questionType: 'SINGLE_CHOICE' },
      ...{ availableOptions: [], surveyTitle: 'Coffee', created_at: '2026-01-01T09:00:00Z' },
    } as never,
  ]);
  visit(ADDRESS);
  expect(await screen.findByRole('button', { name: 'Twin 5' })).toBeVisible();
});

it('a twin is shown with who it is, and the next one is an arrow away', async () => {
  const { user } = visit(ADDRESS);
  await user.click(await screen.findByRole('button', { name: 'Twin 1' }));
  const dialog = await shownDialog();
  expect(within(dialog).getByText('Male')).toBeVisible();
  expect(within(dialog).getByRole('button', { name: 'Previous twin' })).toBeDisabled();
  within(dialog).getByRole('button', { name: 'Close' }).focus();
  await user.keyboard('{ArrowRight}');
  await waitFor(() => expect(dialog).toHaveAccessibleName('Twin 2'));
  expect(within(dialog).getByText('Female')).toBeVisible();
  await user.click(within(dialog).getByRole('button', { name: 'Next twin' }));
  await waitFor(() => expect(dialog).toHaveAccessibleName('Twin 3'));
  expect(within(dialog).getByRole('button', { name: 'Next twin' })).toBeDisabled();
});
