import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { config, group, progress, question, run as simulation, settings, survey } from '@/testing/fixtures';
import { shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

let server: ReturnType<typeof mockServer>;
let locked: boolean;

const matrix = { ...question, id: 32, order: 2, text: 'How is it?', questionType: 'MATRIX' as const };

beforeEach(() => {
  locked = false;
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/surveys/{surveyId}', () => ({
    ...survey,
    isLocked: locked,
    simulationId: locked ? 'a' : null,
    questions: [],
  }));
  server.get('/api/surveys/{surveyId}/questions', () => [
    question,
    { ...matrix, options: [], scale_labels: ['Bad', 'Good'], subQuestions: ['Tea', 'Milk'] },
  ]);
  server.get('/api/auth/settings', () => settings);
  server.get('/api/surveys/{surveyId}/simulation-config', () => ({ ...config, requestsPerMinute: 60 }));
  signInAs('user');
});

async function open() {
  const visited = visit('/surveys/3');
  const bar = within(await screen.findByRole('region', { name: 'Survey' }));
  return { ...visited, bar };
}

describe('the bar of a survey', () => {
  it('tells how many questions there are, what 100 twins cost and how long they take', async () => {
    const { bar } = await open();
    expect(bar.getByText('2 questions')).toBeVisible();
    expect(bar.getByText('200 credits')).toBeVisible();
    expect(await bar.findByText('about 1 min 40 s or more')).toBeVisible();
  });

  it('says why nothing can be started without questions', async () => {
    server.get('/api/surveys/{surveyId}/questions', () => []);
    const { bar } = await open();
    const start = bar.getByRole('button', { name: 'Start' });
    expect(start).toBeDisabled();
    expect(start).toHaveAttribute('title', 'Add a question first');
  });

  it('opens the dialog that starts a run', async () => {
    const { user, bar } = await open();
    await user.click(bar.getByRole('button', { name: 'Start' }));
    expect(await within(await shownDialog()).findByLabelText('Number of digital twins')).toBeVisible();
  });
});

describe('the preview', () => {
  it('shows every question as a person would see it, to be answered for a try', async () => {
    const { user, bar } = await open();
    await user.click(bar.getByRole('button', { name: 'Preview' }));
    const shown = await shownDialog();
    const dialog = within(shown);
    // Not in the first field of a question, which may stand far below.
    await waitFor(() => expect(shown.querySelector('.dialog-frame')).toHaveFocus());
    await user.click(dialog.getByRole('radio', { name: 'Tea' }));
    expect(dialog.getByRole('radio', { name: 'Tea' })).toBeChecked();
    expect(dialog.getByRole('radio', { name: 'Coffee' })).not.toBeChecked();
    await user.click(dialog.getByRole('radio', { name: 'Milk: Good' }));
    expect(dialog.getByRole('radio', { name: 'Tea' })).toBeChecked();
    expect(server.calls.filter(({ method }) => method !== 'get')).toEqual([]);
  });
});

describe('one twin', () => {
  const twin = { id: 8, pid: '8', name: 'Twin 8', description: '', attributes: { Gender: 'Female' } };

  it('is asked in a copy, which is gone afterwards, and its answers stand beside its profile', async () => {
    server.get('/api/personas/random/{n}', () => [twin]);
    server.post('/api/surveys/{surveyId}/duplicate', () => ({
      message: '',
      duplicatedSurvey: { ...survey, id: 9, questions: [] },
    }));
    server.post('/api/simulations/survey/{surveyId}/start', ({ params }) => ({ ...run(params.surveyId) }));
    server.get('/api/simulations/{simulationId}/progress', () => ({
      ...progress,
      simulationStatus: 'COMPLETED' as const,
    }));
    server.get('/api/surveys/{surveyId}/simulation/{simulationId}/responses/matrix', () => [
      {
        personaId: 8,
        personaPid: '8',
        personaName: 'Twin 8',
        attributes: {},
        answers: [
          { questionId: 91, status: 'answered' as const, answer: 'Tea', answerValue: 'Tea' },
          {
            questionId: 92,
            status: 'answered' as const,
            answer: 'Q1: Bad',
            // An object of the server's has its keys by their length.
            answerValue: { Rum: 'Bad', Tea: 'Bad', Milk: 'Good' },
          },
        ],
      },
    ]);
    server.delete('/api/surveys/{surveyId}', () => new Response(null, { status: 204 }));
    const { user, bar } = await open();
    await user.click(bar.getByRole('button', { name: 'Ask one twin' }));
    const dialog = within(await shownDialog());
    expect(await dialog.findByText('Twin 8')).toBeVisible();
    expect(dialog.getByText(/costs 2 credits; you have 500/)).toBeVisible();
    await user.click(dialog.getByRole('button', { name: 'Ask for 2 credits' }));
    expect(await dialog.findByText('Milk')).toBeVisible();
    const asked = dialog.getAllByText(/^(Tea|Milk|Rum)$/, { selector: 'dt' });
    expect(asked.map((row) => row.textContent)).toEqual(['Tea', 'Milk', 'Rum']);
    expect(server.sent('post', '/api/simulations/survey/9/start')).toEqual([
      { personaCount: 1, isRandomSelection: false, selectedPersonaIds: [8] },
    ]);
    expect(server.sent('post', '/api/simulations/survey/3/start')).toEqual([]);
    await user.click(dialog.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(server.sent('delete', '/api/surveys/9')).toHaveLength(1));
  });

  it('is asked no further once the dialog is closed, and its copy is gone, too', async () => {
    let active = true;
    server.get('/api/personas/random/{n}', () => [twin]);
    server.post('/api/surveys/{surveyId}/duplicate', () => ({
      message: '',
      duplicatedSurvey: { ...survey, id: 9, questions: [] },
    }));
    server.post('/api/simulations/survey/{surveyId}/start', ({ params }) => ({ ...run(params.surveyId) }));
    server.get('/api/simulations/{simulationId}/progress', () => progress);
    server.post('/api/simulations/{simulationId}/stop', () => {
      active = false;
      return { ...simulation, status: 'STOPPED' } as never;
    });
    server.delete('/api/surveys/{surveyId}', () =>
      active ? refusal(409, 'Survey has an active simulation') : new Response(null, { status: 204 }),
    );
    const { user, bar, router } = await open();
    await user.click(bar.getByRole('button', { name: 'Ask one twin' }));
    const dialog = within(await shownDialog());
    await user.click(await dialog.findByRole('button', { name: 'Ask for 2 credits' }));
    await dialog.findByText('Asked: 4 of 2 answered');
    await act(() => router.navigate('/survey-builder'));
    await waitFor(() => expect(server.sent('delete', '/api/surveys/9')).toHaveLength(2));
    expect(server.sent('post', `/api/simulations/${simulation.simulationId}/stop`)).toHaveLength(1);
  });

  it('that cannot be asked leaves no copy behind', async () => {
    server.get('/api/personas/random/{n}', () => [twin]);
    server.post('/api/surveys/{surveyId}/duplicate', () => ({
      message: '',
      duplicatedSurvey: { ...survey, id: 9, questions: [] },
    }));
    server.post('/api/simulations/survey/{surveyId}/start', () => refusal(402, 'Not enough credits'));
    server.delete('/api/surveys/{surveyId}', () => new Response(null, { status: 204 }));
    const { user, bar } = await open();
    await user.click(bar.getByRole('button', { name: 'Ask one twin' }));
    const dialog = within(await shownDialog());
    await user.click(await dialog.findByRole('button', { name: 'Ask for 2 credits' }));
    expect(await dialog.findByText('Failed to ask a twin: not enough credits')).toBeVisible();
    await waitFor(() => expect(server.sent('delete', '/api/surveys/9')).toHaveLength(1));
  });

  const run = (surveyId: string | undefined) => ({ ...simulation, surveyId: Number(surveyId) });
});

it('a locked survey offers a copy to edit, and its results', async () => {
  locked = true;
  const { user } = await open();
  expect(screen.getByText('Survey Locked', { selector: '.ant-tag' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'See results' })).toHaveAttribute(
    'href',
    '/simulation-history?survey=3',
  );
  expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Duplicate to edit' }));
  expect(within(await shownDialog()).getByLabelText('Title')).toHaveValue('Coffee (Copy)');
});
