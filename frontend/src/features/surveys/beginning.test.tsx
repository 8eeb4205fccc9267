import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { question, survey } from '@/testing/fixtures';
import { choose, shownDialog, visit } from '@/testing/render';
import { refusal } from '@/testing/server';
import { surveyServer } from '@/testing/surveys';

let server: ReturnType<typeof surveyServer>;

beforeEach(() => {
  server = surveyServer();
  server.get('/api/surveys/my', () => []);
  server.post('/api/surveys/import', () => ({ ...survey, id: 9, questions: [] }));
});

describe('a survey begins', () => {
  it('with a classic study, from the empty list, in the version that is chosen', async () => {
    const { user } = visit('/survey-builder');
    await user.click(await screen.findByRole('button', { name: /^Use Framing/ }));
    const dialog = within(await shownDialog());
    expect(dialog.getByLabelText('Title')).toHaveValue('Framing: lives saved, lives lost (lives saved)');
    await choose(user, 'Version', 'Lives lost');
    expect(dialog.getByLabelText('Title')).toHaveValue('Framing: lives saved, lives lost (lives lost)');
    expect(dialog.getByRole('link', { name: /^doi:/ })).toHaveAttribute(
      'href',
      'https://doi.org/10.1126/science.7455683',
    );
    await choose(user, 'Group', 'Mornings');
    await user.click(dialog.getByRole('button', { name: 'Create Survey' }));
    expect(await screen.findByText('Survey Created!')).toBeVisible();
    expect(server.sent('post', '/api/surveys/import')).toMatchObject([
      {
        description: expect.stringContaining('Tversky') as string,
        questions: [{ text: expect.stringContaining('400 people will die') as string }],
      },
    ]);
  });

  it('with a text, whose wrong lines are named, and can be public at once', async () => {
    server.patch('/api/surveys/{surveyId}/toggle-visibility', () => ({
      ...survey,
      id: 9,
      visibility: 'PUBLIC',
    }));
    const { user } = visit('/survey-builder');
    await user.click(await screen.findByRole('button', { name: 'Create Survey' }));
    const dialog = within(await shownDialog());
    await user.click(dialog.getByText('Plain text'));
    const text = dialog.getByLabelText('Questions as text');
    await user.click(text);
    await user.paste('# Mornings of mine\n\nTea or coffee?\n- Tea\n\nWhy?\n___');
    const wrong = await dialog.findByRole('button', { name: 'Line 4' });
    expect(dialog.getByRole('button', { name: 'Create Survey' })).toBeDisabled();
    await user.click(wrong);
    expect(text).toHaveFocus();
    expect((text as HTMLTextAreaElement).selectionStart).toBe(
      '# Mornings of mine\n\nTea or coffee?\n'.length,
    );
    await user.clear(text);
    await user.paste('# Mornings of mine\n\nTea or coffee?\n- Tea\n- Coffee\n\nWhy?\n___');
    expect(await dialog.findByText('Coffee')).toBeVisible();
    expect(dialog.getByLabelText('Title')).toHaveValue('Mornings of mine');
    await choose(user, 'Group', 'Mornings');
    await choose(user, 'Visibility', 'Public');
    await user.click(dialog.getByRole('button', { name: 'Create Survey' }));
    await waitFor(() => expect(server.sent('patch', '/api/surveys/9/toggle-visibility')).toHaveLength(1));
    expect(server.sent('post', '/api/surveys/import')).toMatchObject([
      { title: 'Mornings of mine', questions: [{ options: ['Tea', 'Coffee'] }, { type: 'TEXT_ENTRY' }] },
    ]);
  });
});

describe('questions that are pasted as text', () => {
  it('are added by one call, and taken back together', async () => {
    let list = [question];
    server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [] }));
    server.get('/api/surveys/{surveyId}/questions', () => list);
    server.post('/api/surveys/{surveyId}/questions/bulk', ({ body }) => {
      const { questions } = body as { questions: { text: string }[] };
      const made = questions.map(({ text }, at) => ({ ...question, id: 40 + at, order: 2 + at, text }));
      list = [...list, ...made];
      return made;
    });
    server.delete('/api/surveys/questions/{questionId}', ({ params }) => {
      list = list.filter(({ id }) => id !== Number(params.questionId));
      return new Response(null, { status: 204 });
    });
    const { user } = visit('/surveys/3');
    await screen.findByText('What do you drink?');
    await user.click(screen.getByRole('button', { name: 'Paste text' }));
    const dialog = within(await shownDialog());
    await user.click(dialog.getByLabelText('Questions as text'));
    await user.paste('One?\n___\n\nTwo?\n___');
    await user.click(await dialog.findByRole('button', { name: 'Add 2 questions' }));
    expect(await screen.findByRole('heading', { name: 'Two?' })).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(list).toEqual([question]));
  });

  it('tell why one was refused, and keep the text', async () => {
    server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [] }));
    server.get('/api/surveys/{surveyId}/questions', () => []);
    server.post('/api/surveys/{surveyId}/questions/bulk', () => refusal(409, 'Survey is locked'));
    const { user } = visit('/surveys/3');
    await screen.findByText('No questions found');
    await user.click(screen.getByRole('button', { name: 'Paste text' }));
    const dialog = within(await shownDialog());
    await user.click(dialog.getByLabelText('Questions as text'));
    await user.paste('One?\n___');
    await user.click(await dialog.findByRole('button', { name: 'Add 1 question' }));
    expect(await dialog.findByText('Failed to add question: survey is locked')).toBeVisible();
    expect(dialog.getByLabelText('Questions as text')).toHaveValue('One?\n___');
    await user.click(dialog.getByLabelText('Questions as text'));
    await user.paste('\n\nTwo?\n___');
    const taken = 'questions[1].name: question 1 of the survey is called Two already';
    server.post('/api/surveys/{surveyId}/questions/bulk', () => refusal(400, taken));
    await user.click(await dialog.findByRole('button', { name: 'Add 2 questions' }));
    expect(
      await dialog.findByText(
        'Failed to add question in line 4: question 1 of the survey is called Two already',
      ),
    ).toBeVisible();
  });
});
