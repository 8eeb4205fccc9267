import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { price, progress, question, run as simulation, survey } from '@/testing/fixtures';
import { shownDialog, visit } from '@/testing/render';
import { refusal } from '@/testing/server';
import { surveyServer } from '@/testing/surveys';

let server: ReturnType<typeof surveyServer>;
let locked: boolean;

const matrix = { ...question, id: 32, order: 2, text: 'How is it?', questionType: 'MATRIX' as const };

beforeEach(() => {
  locked = false;
  server = surveyServer();
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
});

async function open() {
  const visited = visit('/surveys/3');
  const bar = within(await screen.findByRole('region', { name: 'Survey' }));
  return { ...visited, bar };
}

describe('the bar of a survey', () => {
  it('tells how many questions there are, what 100 twins cost and how long they take', async () => {
    const time = { lowSeconds: 100, highSeconds: null, source: 'limits' as const };
    server.post('/api/surveys/{surveyId}/studies', () => ({
      ...price,
      credits: 200,
      estimate: { ...price.estimate, time },
    }));
    const { bar } = await open();
    expect(bar.getByText('2 questions')).toBeVisible();
    expect(await bar.findByText('200 credits')).toBeVisible();
    expect(bar.getByText('about 1 min 40 s or more')).toBeVisible();
    const [asked] = server.calls.filter(({ query }) => query.get('price') === 'true');
    expect(asked?.body).toEqual({ run: { personaCount: 100, isRandomSelection: true, seed: 1 } });
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
    expect(server.calls.filter(({ method, query }) => method !== 'get' && !query.has('price'))).toEqual([]);
  });
});

describe('one twin', () => {
  const twin = { id: 8, pid: '8', name: 'Twin 8', description: '', attributes: { Gender: 'Female' } };

  it('is asked by one call, and its answers are beside its profile', async () => {
    server.get('/api/personas/random/{n}', () => [twin]);
    server.post('/api/surveys/{surveyId}/ask', () => ({ ...simulation, surveyId: 9 }));
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
    const { user, bar } = await open();
    await user.click(bar.getByRole('button', { name: 'Ask one twin' }));
    const dialog = within(await shownDialog());
    expect(await dialog.findByText('Twin 8')).toBeVisible();
    expect(dialog.getByText(/costs 2 credits; you have 500/)).toBeVisible();
    await user.click(dialog.getByRole('button', { name: 'Ask for 2 credits' }));
    expect(await dialog.findByText('Milk')).toBeVisible();
    const asked = dialog.getAllByText(/^(Tea|Milk|Rum)$/, { selector: 'dt' });
    expect(asked.map((row) => row.textContent)).toEqual(['Tea', 'Milk', 'Rum']);
    expect(server.sent('post', '/api/surveys/3/ask')).toEqual([{ personaId: 8 }]);
    await user.click(dialog.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(server.calls.filter(({ method, query }) => method !== 'get' && !query.has('price'))).toHaveLength(
      1,
    );
  });

  it('is asked no further once the dialog is closed', async () => {
    server.get('/api/personas/random/{n}', () => [twin]);
    server.post('/api/surveys/{surveyId}/ask', () => ({ ...simulation, surveyId: 9 }));
    server.get('/api/simulations/{simulationId}/progress', () => progress);
    server.post(
      '/api/simulations/{simulationId}/stop',
      () => ({ ...simulation, status: 'STOPPED' }) as never,
    );
    const { user, bar, router } = await open();
    await user.click(bar.getByRole('button', { name: 'Ask one twin' }));
    const dialog = within(await shownDialog());
    await user.click(await dialog.findByRole('button', { name: 'Ask for 2 credits' }));
    await dialog.findByText('Asked: 4 of 2 answered');
    await act(() => router.navigate('/survey-builder'));
    const stop = `/api/simulations/${simulation.simulationId}/stop`;
    await waitFor(() => expect(server.sent('post', stop)).toHaveLength(1));
  });

  it('that cannot be asked says why', async () => {
    server.get('/api/personas/random/{n}', () => [twin]);
    server.post('/api/surveys/{surveyId}/ask', () => refusal(402, 'Not enough credits'));
    const { user, bar } = await open();
    await user.click(bar.getByRole('button', { name: 'Ask one twin' }));
    const dialog = within(await shownDialog());
    await user.click(await dialog.findByRole('button', { name: 'Ask for 2 credits' }));
    expect(await dialog.findByText('Failed to ask a twin: not enough credits')).toBeVisible();
  });
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
