import { screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { AutoSave } from '@/editing/autoSave';
import { questionCalls } from '@/editing/questionSaving';
import { draftOf } from '@/question-types/draft';
import { question, settings } from '@/testing/fixtures';
import { fill, shownDialog, visit } from '@/testing/render';
import { surveyServer } from '@/testing/surveys';

let server: ReturnType<typeof surveyServer>;

beforeEach(() => {
  server = surveyServer();
});

async function begin() {
  const { user } = visit('/surveys/3');
  const open = async () => {
    await user.click(await screen.findByRole('button', { name: '+ Add Question' }));
    return within(await shownDialog());
  };
  await screen.findByText('What do you drink?');
  const dialog = await open();
  await user.click(dialog.getByText('Slider'));
  await fill(user, dialog.getByLabelText('Question Text'), 'How well?');
  return { user, dialog, open };
}

describe('a question that was begun', () => {
  it('is there again after its dialog was closed, and can be started over', async () => {
    const { user, open } = await begin();
    await user.keyboard('{Escape}');
    const again = await open();
    expect(again.getByLabelText('Question Text')).toHaveValue('How well?');
    expect(again.getByLabelText('Minimum value')).toBeInTheDocument();
    await user.click(again.getByRole('button', { name: 'Start over' }));
    expect(again.getByLabelText('Question Text')).toHaveValue('');
    expect(again.queryByText(/began earlier/)).not.toBeInTheDocument();
  });

  it('is gone once it is cancelled', async () => {
    const { user, dialog, open } = await begin();
    await user.click(dialog.getByRole('button', { name: 'Cancel' }));
    expect((await open()).getByLabelText('Question Text')).toHaveValue('');
  });

  it('is gone once it is saved', async () => {
    server.post('/api/surveys/{surveyId}/questions', () => question);
    const { user, dialog, open } = await begin();
    await user.click(dialog.getByRole('button', { name: 'Add Question' }));
    expect(await screen.findByText('Question added successfully!')).toBeVisible();
    expect((await open()).getByLabelText('Question Text')).toHaveValue('');
  });

  it('is not kept where the settings say so', async () => {
    server.get('/api/auth/settings', () => ({ ...settings, autoSave: false }));
    const { user, open } = await begin();
    await user.keyboard('{Escape}');
    expect((await open()).getByLabelText('Question Text')).toHaveValue('');
  });
});

describe('what is wrong', () => {
  it('is tied to the fields that it is about', async () => {
    const { user, dialog } = await begin();
    await user.click(dialog.getByText('Single Choice'));
    await fill(user, dialog.getByLabelText('Option 1'), 'Well');
    await user.click(dialog.getByRole('button', { name: 'Add Question' }));
    const empty = dialog.getByLabelText('Option 2');
    expect(empty).toBeInvalid();
    expect(empty).toHaveAccessibleDescription('Choice questions must have at least 2 non-empty options');
    expect(dialog.getByLabelText('Option 1')).toBeValid();
    await user.clear(dialog.getByLabelText('Question Text'));
    await user.click(dialog.getByRole('button', { name: 'Add Question' }));
    expect(dialog.getByLabelText('Question Text')).toHaveAccessibleDescription('Question text is required');
  });
});

describe('what is being saved', () => {
  it('is not saved again by the card that closes meanwhile', async () => {
    const changed = { ...question, text: 'What else do you drink?' };
    const write = vi.fn(() => Promise.resolve(changed));
    const ignore = () => undefined;
    const calls = { ...questionCalls(write), onSaved: ignore, onConflict: ignore, onFailure: ignore };
    const saver = new AutoSave(question, calls);
    saver.allow(true);
    await Promise.all([saver.now(draftOf(changed)), saver.flush()]);
    expect(write).toHaveBeenCalledOnce();
  });
});
