import { screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { config, question, settings, survey } from '@/testing/fixtures';
import { fill, shownDialog, signInAs, visit } from '@/testing/render';
import { refusal } from '@/testing/server';
import { surveyServer } from '@/testing/surveys';

let server: ReturnType<typeof surveyServer>;

beforeEach(() => {
  server = surveyServer();
  server.get('/api/surveys/my', () => [survey]);
});

describe('a survey', () => {
  it('is not created without title and group', async () => {
    const { user } = visit('/survey-builder');
    await user.click(await screen.findByRole('button', { name: 'Create Survey' }));
    const dialog = within(await shownDialog());
    await user.click(dialog.getByRole('button', { name: 'Create Survey' }));
    expect(await dialog.findByText('Title and group are required')).toBeVisible();
  });

  it('that cannot be created says so', async () => {
    server.break('post', '/api/surveys');
    const { user } = visit('/survey-builder');
    await user.click(await screen.findByRole('button', { name: 'Create Survey' }));
    const dialog = within(await shownDialog());
    await user.type(dialog.getByLabelText('Title'), 'Tea');
    await user.click(dialog.getByLabelText('Group'));
    await user.click(await screen.findByTitle('Mornings'));
    await user.click(dialog.getByRole('button', { name: 'Create Survey' }));
    expect(await dialog.findByText('Failed to create survey')).toBeVisible();
    expect(server.sent('post', '/api/surveys')).toEqual([
      { title: 'Tea', description: '', groupId: 4, visibility: 'PRIVATE' },
    ]);
  });

  it('that cannot be copied says so and keeps the dialog', async () => {
    server.break('post', '/api/surveys/{surveyId}/duplicate');
    const { user } = visit('/survey-builder');
    await user.click(await screen.findByRole('button', { name: 'Duplicate Survey' }));
    const dialog = within(await shownDialog());
    expect(dialog.getByLabelText('Title')).toHaveValue('Coffee (Copy)');
    expect(dialog.getByText('Original: Coffee')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Duplicate Survey' }));
    expect(await screen.findByText('Failed to duplicate survey. Please try again.')).toBeVisible();
    expect(server.sent('post', '/api/surveys/3/duplicate')).toEqual([{ title: 'Coffee (Copy)' }]);
  });
});

describe('starting a simulation', () => {
  async function start() {
    const { user } = visit('/survey-builder');
    await user.click(await screen.findByRole('button', { name: 'Start Simulation' }));
    return { user, dialog: within(await shownDialog()) };
  }

  it('can be tried again when its data could not be loaded', async () => {
    server.break('get', '/api/surveys/{surveyId}/simulation-config');
    const { user, dialog } = await start();
    expect(await dialog.findByText('Failed to load simulation data')).toBeInTheDocument();
    server.get('/api/surveys/{surveyId}/simulation-config', () => config);
    await user.click(dialog.getByRole('button', { name: 'Retry' }));
    expect(await dialog.findByLabelText('Number of digital twins')).toHaveValue('100');
  });

  it('opens with as many twins as the settings say', async () => {
    server.get('/api/auth/settings', () => ({ ...settings, defaultDigitalTwins: 500 }));
    const { dialog } = await start();
    expect(await dialog.findByLabelText('Number of digital twins')).toHaveValue('500');
  });

  it('needs twins', async () => {
    server.get('/api/surveys/{surveyId}/simulation-config', () => ({ ...config, totalPersonas: 0 }));
    const { dialog } = await start();
    expect(
      await dialog.findByText('No digital twins are available. Please contact the administrator.'),
    ).toBeInTheDocument();
  });

  it('is not offered for a survey that cannot be simulated', async () => {
    server.get('/api/surveys/{surveyId}/simulation-config', () => ({ ...config, canSimulate: false }));
    const { dialog } = await start();
    expect(await dialog.findByText('Survey cannot be simulated')).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'Start Simulation' })).toBeDisabled();
  });

  it('that fails tells the reason of the server, where it gives one', async () => {
    server.post('/api/simulations/survey/{surveyId}/start', () => refusal(402, 'Not enough credits'));
    const { user, dialog } = await start();
    await user.click(await dialog.findByRole('button', { name: 'Start Simulation' }));
    expect(await dialog.findByText('Failed to start simulation: not enough credits')).toBeVisible();
    server.break('post', '/api/simulations/survey/{surveyId}/start');
    await user.click(dialog.getByRole('button', { name: 'Start Simulation' }));
    expect(await dialog.findByText('Failed to start simulation')).toBeVisible();
  });

  it('is refused to whom the token does not name', async () => {
    signInAs('user', { id: NaN });
    const { user, dialog } = await start();
    await user.click(await dialog.findByRole('button', { name: 'Start Simulation' }));
    expect(await dialog.findByText('Invalid authentication token')).toBeVisible();
  });

  it('is refused where the token is gone', async () => {
    const { user, dialog } = await start();
    const button = await dialog.findByRole('button', { name: 'Start Simulation' });
    localStorage.removeItem('token');
    await user.click(button);
    expect(await dialog.findByText('Cannot start simulation')).toBeVisible();
  });
});

describe('the questions', () => {
  const open = () => visit('/surveys/3');

  it('tell that they could not be loaded', async () => {
    server.break('get', '/api/surveys/{surveyId}/questions');
    open();
    expect(await screen.findByText('Failed to load survey data')).toBeVisible();
  });

  it('tell that one could not be added', async () => {
    server.break('post', '/api/surveys/{surveyId}/questions');
    const { user } = open();
    await screen.findByText('What do you drink?');
    await user.click(screen.getByRole('button', { name: '+ Add Question' }));
    const dialog = within(await shownDialog());
    await user.click(dialog.getByText('Text Entry'));
    await user.click(dialog.getByRole('button', { name: 'Add Question' }));
    expect(await dialog.findByText('Question text is required')).toBeVisible();
    await fill(user, dialog.getByLabelText('Question Text'), 'Why?');
    await user.click(dialog.getByRole('button', { name: 'Add Question' }));
    expect(await dialog.findByText('Failed to add question')).toBeVisible();
  });

  it('do not keep what was wrong with another type', async () => {
    const { user } = open();
    await screen.findByText('What do you drink?');
    await user.click(screen.getByRole('button', { name: '+ Add Question' }));
    const dialog = within(await shownDialog());
    await fill(user, dialog.getByLabelText('Question Text'), 'Why?');
    await user.click(dialog.getByRole('button', { name: 'Add Question' }));
    const wrong = 'Choice questions must have at least 2 non-empty options';
    expect(await dialog.findByText(wrong)).toBeVisible();
    await user.click(dialog.getByText('Text Entry'));
    expect(dialog.queryByText(wrong)).not.toBeInTheDocument();
  });

  it('have their options typed, pasted, moved and removed without the mouse', async () => {
    const { user } = open();
    await screen.findByText('What do you drink?');
    await user.click(screen.getByRole('button', { name: '+ Add Question' }));
    const dialog = within(await shownDialog());
    const options = () =>
      dialog.getAllByRole<HTMLInputElement>('textbox', { name: /^Option/ }).map((o) => o.value);
    await user.click(dialog.getByLabelText('Option 1'));
    await user.keyboard('Car{Enter}Bus{Enter}Tram');
    expect(options()).toEqual(['Car', 'Bus', 'Tram']);
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    expect(options()).toEqual(['Car', 'Tram', 'Bus']);
    await user.keyboard('{Enter}');
    await user.paste('Train\nOn foot\n');
    expect(options()).toEqual(['Car', 'Tram', 'Train', 'On foot', 'Bus']);
    await user.keyboard('{Enter}{Backspace}');
    expect(options()).toEqual(['Car', 'Tram', 'Train', 'On foot', 'Bus']);
    expect(dialog.getByLabelText('Option 4')).toHaveFocus();
  });

  it('tell that one was changed, or could not be', async () => {
    server.break('patch', '/api/surveys/questions/{questionId}');
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Edit question 1' }));
    const dialog = within(await shownDialog());
    await user.click(dialog.getByRole('button', { name: 'Save Changes' }));
    expect(await dialog.findByText('Failed to update question')).toBeVisible();
    server.patch('/api/surveys/questions/{questionId}', () => question);
    await user.click(dialog.getByRole('button', { name: 'Save Changes' }));
    expect(await screen.findByText('Question updated successfully!')).toBeVisible();
  });

  it('ask before one is deleted, and tell how that went', async () => {
    server.break('delete', '/api/surveys/questions/{questionId}');
    const { user } = open();
    const remove = async () => {
      await user.click(await screen.findByRole('button', { name: 'Delete question 1' }));
      expect(await screen.findByText('Are you sure you want to delete this question?')).toBeInTheDocument();
      await user.click(screen.getByRole('button', { name: 'Delete' }));
    };
    await remove();
    expect(await screen.findByText('Failed to delete question')).toBeVisible();
  });

  it('tell that one was deleted', async () => {
    server.delete('/api/surveys/questions/{questionId}', () => new Response(null, { status: 204 }));
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Delete question 1' }));
    await user.click(await screen.findByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('Question deleted successfully!')).toBeVisible();
  });

  it('of a locked survey stay as they are', async () => {
    server.get('/api/surveys/{surveyId}', () => ({ ...survey, isLocked: true, questions: [question] }));
    open();
    expect(await screen.findByText('Survey Locked')).toBeVisible();
    expect(screen.getByRole('button', { name: '+ Add Question' })).toBeDisabled();
    expect(await screen.findByRole('button', { name: 'Edit question 1' })).toBeDisabled();
    expect(screen.queryByRole('button', { name: /Move question/ })).not.toBeInTheDocument();
  });
});
