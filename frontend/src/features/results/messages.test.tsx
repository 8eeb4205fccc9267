import { screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { factsOf, question, run, survey } from '@/testing/fixtures';
import { shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

const answer = { questionId: 31, status: 'answered', answer: 'Tea', answerValue: 'Tea' } as const;
const EXPORT = '/api/surveys/{surveyId}/simulation/{simulationId}/responses/export.xlsx';
let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [question] }));
  server.get('/api/surveys/{surveyId}/questions', () => [question]);
  server.get('/api/simulations/{simulationId}', () => factsOf(run));
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/responses/matrix', () => [
    {
      personaId: 17,
      personaPid: '1204',
      attributes: {},
      personaName: 'Twin 17',
      answers: [answer],
    },
  ]);
  signInAs('user');
});

const open = () => visit(`/simulation-responses/3/${run.simulationId}`);

it('a page that could not be loaded says so', async () => {
  server.break('get', '/api/simulations/{simulationId}');
  open();
  expect(await screen.findByText('Failed to load simulation responses')).toBeVisible();
});

it('a run that does not exist says so', async () => {
  server.get('/api/simulations/{simulationId}', () => refusal(404, 'Simulation not found'));
  open();
  expect(await screen.findByRole('heading', { name: 'Simulation Not Found' })).toBeVisible();
  expect(screen.getByText(/^There is no simulation at this address/)).toBeVisible();
});

it('a run of another survey is not at this address', async () => {
  server.get('/api/simulations/{simulationId}', () => factsOf({ ...run, surveyId: 9 }));
  open();
  expect(await screen.findByRole('heading', { name: 'Simulation Not Found' })).toBeVisible();
});

it('a workbook that could not be made says so', async () => {
  server.break('get', EXPORT);
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Download Excel' }));
  expect(await screen.findByText('Failed to download Excel file')).toBeVisible();
});

it('a file that the server refuses says why', async () => {
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/responses/wide.sav', () =>
    refusal(409, 'The results are hidden until the plan of the study is frozen'),
  );
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'More formats' }));
  await user.click(await screen.findByRole('menuitem', { name: /^SPSS/ }));
  const reason = 'the results are hidden until the plan of the study is frozen';
  expect(await screen.findByText(`Failed to download file: ${reason}`)).toBeVisible();
});

describe('a file holds the twins that the filter lets through', () => {
  const RESPONSES = '/api/surveys/{surveyId}/simulation/{simulationId}/responses';
  const asked = (
    file:
      'wide.csv' | 'wide.jsonl' | 'wide.parquet' | 'wide.sav' | 'wide.dta' | 'export.parquet' | 'export.xlsx',
  ) => {
    const queries: string[] = [];
    server.get(`${RESPONSES}/${file}`, ({ query }) => {
      queries.push(query.toString());
      return new Response('a file');
    });
    return queries;
  };
  const filtered = () => visit(`/simulation-responses/3/${run.simulationId}?where=Gender%3AFemale`);

  it.each([
    ['wide.csv', /^CSV\s*codes$/, '&values=codes&raw=true', 'wide-codes.csv'],
    ['wide.csv', /^CSV\s*codes and labels$/, '&values=both', 'wide-both.csv'],
    ['wide.jsonl', /^JSON Lines\s*codes$/, '&values=codes', 'wide-codes.jsonl'],
    ['wide.parquet', /^Parquet\s*labels$/, '', 'wide.parquet'],
    ['wide.parquet', /^Parquet\s*codes$/, '&values=codes', 'wide-codes.parquet'],
    ['export.parquet', /^Parquet\s*long$/, '', 'responses.parquet'],
    ['wide.sav', /^SPSS/, '', 'wide.sav'],
    ['wide.dta', /^Stata/, '', 'wide.dta'],
  ] as const)('%s by the item %s', async (file, item, query, name) => {
    const queries = asked(file);
    const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      expect(this.download).toMatch(new RegExp(`^simulation-.{8}-${name}$`));
    });
    const { user } = filtered();
    await user.click(await screen.findByRole('button', { name: 'More formats' }));
    await user.click(await screen.findByRole('menuitem', { name: item }));
    await waitFor(() => expect(saved).toHaveBeenCalled());
    expect(queries).toEqual([`where=Gender%3AFemale${query}`]);
    saved.mockRestore();
  });

  it('the workbook too', async () => {
    const queries = asked('export.xlsx');
    const { user } = filtered();
    await user.click(await screen.findByRole('button', { name: 'Download Excel' }));
    await waitFor(() => expect(queries).toEqual(['where=Gender%3AFemale']));
  });
});

it('a run without answers shows invented ones that cannot be taken for real', async () => {
  server.get('/api/simulations/{simulationId}', () => factsOf({ ...run, successfulRequests: 0 }));
  open();
  expect(await screen.findByText(/invented sample data/)).toBeVisible();
  expect(screen.getByRole('button', { name: 'Download Excel' })).toBeDisabled();
  expect(screen.queryByRole('tab', { name: 'Charts' })).not.toBeInTheDocument();
});

it('a run of a survey without questions has nothing to show', async () => {
  server.get('/api/simulations/{simulationId}', () => factsOf({ ...run, successfulRequests: 0 }));
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

describe('twins in the matrix', () => {
  const twin = (personaId: number, age: string, plan: string) => ({
    personaId,
    personaPid: '',
    personaName: `Twin ${personaId}`,
    attributes: { Age: age },
    answers: [
      {
        questionId: 31,
        status: 'answered' as const,
        answer: `Q1: ${plan} | Q2: No`,
        answerValue: { 'I plan meals': plan, 'I cook': 'No' },
      },
    ],
  });
  const matrix = {
    ...question,
    text: 'How do you eat?',
    questionType: 'MATRIX',
    subQuestions: ['I plan meals', 'I cook'],
    scale_labels: ['Yes', 'No'],
  } as const;

  beforeEach(() => {
    const asked = { ...matrix, subQuestions: [...matrix.subQuestions], scale_labels: ['Yes', 'No'] };
    server.get('/api/surveys/{surveyId}/questions', () => [asked]);
    server.get('/api/surveys/{surveyId}/simulation/{simulationId}/responses/matrix', () => [
      twin(17, '30-49', 'Yes'),
      twin(18, '65+', 'No'),
    ]);
    server.get('/api/simulations/{simulationId}/personas', ({ query }) =>
      query.get('personaId') === '18'
        ? [{ personaId: 18, personaPid: '', personaName: 'Twin 18', attributes: {}, text: 'Likes the sea.' }]
        : [],
    );
  });

  it('have a column for each row of a matrix', async () => {
    open();
    expect(await screen.findByRole('columnheader', { name: /Q1.*How do you eat\?/ })).toBeVisible();
    expect(screen.getByRole('columnheader', { name: 'I plan meals' })).toBeVisible();
    const row = screen.getByRole('button', { name: 'Twin 17' }).closest('tr');
    expect([...(row?.cells ?? [])].map((cell) => cell.textContent)).toEqual(['Twin 17', 'Yes', 'No']);
  });

  it('are gone through one after the other, with who they are', async () => {
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Twin 17' }));
    const dialog = await shownDialog();
    expect(dialog).toHaveTextContent('Age30-49');
    expect(dialog).toHaveTextContent('Q1. How do you eat? I plan mealsYesI cookNo');
    expect(screen.getByRole('button', { name: 'Previous twin' })).toBeDisabled();
    await user.click(screen.getByRole('button', { name: 'Next twin' }));
    expect(dialog).toHaveAccessibleName('Twin 18');
    expect(dialog).toHaveTextContent('Age65+');
    await user.click(screen.getByText('Profile text'));
    expect(await screen.findByText('Likes the sea.')).toBeVisible();
  });
});
