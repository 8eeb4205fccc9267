import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Question, QuestionPayload } from '@/api/types';
import { sameContent } from '@/editing/history';
import { config, group, question, settings, survey } from '@/testing/fixtures';
import { fill, shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

let server: ReturnType<typeof mockServer>;
/** The state of the server. */
let list: Question[];
let autoSave: boolean;
let lastId: number;

const LIST = '/api/surveys/{surveyId}/questions';
const ONE = '/api/surveys/questions/{questionId}';

beforeEach(() => {
  list = ['First', 'Second', 'Third'].map((text, index) => ({
    ...question,
    id: 31 + index,
    text,
    order: index + 1,
  }));
  autoSave = true;
  lastId = 90;
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [] }));
  server.get('/api/auth/settings', () => ({ ...settings, autoSave }));
  server.get('/api/surveys/{surveyId}/simulation-config', () => config);
  server.get('/api/personas/attributes', () => []);
  server.get(LIST, () => list);
  server.post(LIST, ({ body }) => {
    const made = { ...asQuestion(body as QuestionPayload), id: ++lastId, order: list.length + 1 };
    list = [...list, made];
    return made;
  });
  server.patch(ONE, ({ params, body }) => {
    const id = Number(params.questionId);
    const { expected } = body as { expected?: QuestionPayload };
    const now = list.find((one) => one.id === id);
    if (expected !== undefined && now !== undefined && !sameContent(now, asQuestion(expected))) {
      const error = { message: 'The question was changed meanwhile', code: 'question_changed' };
      return Response.json({ ...error, question: now }, { status: 409 });
    }
    list = list.map((one) => (one.id === id ? { ...one, ...asQuestion(body as QuestionPayload), id } : one));
    return list.find((one) => one.id === id) ?? refusal(404, 'Question not found');
  });
  server.delete(ONE, ({ params }) => {
    list = list
      .filter(({ id }) => id !== Number(params.questionId))
      .map((one, at) => ({ ...one, order: at + 1 }));
    return new Response(null, { status: 204 });
  });
  server.patch('/api/surveys/{surveyId}/questions/order', ({ body }) => {
    const { questionOrders } = body as { questionOrders: { id: number; order: number }[] };
    const orders = new Map(questionOrders.map(({ id, order }) => [id, order]));
    list = list.map((one) => ({ ...one, order: orders.get(one.id) ?? 0 }));
    list.sort((a, b) => a.order - b.order);
    return list;
  });
  signInAs('user');
});

function asQuestion({ text, type, required, options }: QuestionPayload): Question {
  return {
    ...question,
    text,
    questionType: type,
    required: required ?? true,
    options: (options ?? []).map((option) => ({ text: option })),
  };
}

async function open() {
  const visited = visit('/surveys/3');
  // Only then is it known that the survey is one's own.
  await screen.findByRole('button', { name: 'Move question 3' });
  return visited;
}

const shown = () => screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
const stored = () => list.map(({ text }) => text);
const edit = (order: number) => screen.findByRole('button', { name: `Edit question ${order}` });

describe('the keyboard alone', () => {
  it('writes a new question at the end, of another type, and goes on from there', async () => {
    const { user } = await open();
    await user.keyboard('n');
    const dialog = within(await shownDialog());
    expect(dialog.getByLabelText('Question Text')).toHaveFocus();
    await user.keyboard('Which?{Alt>}[Digit2]{/Alt}');
    expect(dialog.getByRole('radio', { name: 'Multiple Choice' })).toBeChecked();
    await user.tab();
    await user.keyboard('This{Enter}That{Control>}{Enter}{/Control}');
    const added = await edit(4);
    await waitFor(() => expect(added).toHaveFocus());
    expect(server.sent('post', '/api/surveys/3/questions')).toMatchObject([
      { text: 'Which?', type: 'MULTIPLE_CHOICE', options: ['This', 'That'] },
    ]);
  });

  it('moves a card, copies it, and inserts one behind it', async () => {
    const { user } = await open();
    (await edit(3)).focus();
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    await waitFor(() => expect(stored()).toEqual(['First', 'Third', 'Second']));
    const moved = await edit(2);
    await waitFor(() => expect(moved).toHaveFocus());
    await user.keyboard('{Control>}d{/Control}');
    await waitFor(() => expect(stored()).toEqual(['First', 'Third', 'Third', 'Second']));
    const copy = await edit(3);
    await waitFor(() => expect(copy).toHaveFocus());
    (await edit(1)).focus();
    await user.keyboard('a');
    await user.type(within(await shownDialog()).getByLabelText('Question Text'), 'New');
    await user.keyboard('{Alt>}[Digit0]{/Alt}');
    expect(screen.getByRole('radio', { name: 'Text Only' })).toBeChecked();
    await user.keyboard('{Alt>}[Digit5]{/Alt}{Control>}{Enter}{/Control}');
    await waitFor(() => expect(stored()).toEqual(['First', 'New', 'Third', 'Third', 'Second']));
    await waitFor(() => expect(shown()).toEqual(stored()));
  });

  it('does not act while somebody writes', async () => {
    autoSave = false;
    const { user } = await open();
    await user.click(await edit(1));
    await fill(user, await screen.findByLabelText('Question Text'), ' nan');
    expect(screen.getAllByRole('dialog')).toHaveLength(1);
    expect(screen.getByLabelText('Question Text')).toHaveValue('First nan');
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
  });
});

describe('every change can be taken back and done again', () => {
  it('a deleted question comes back to its place', async () => {
    const { user } = await open();
    await user.click(await screen.findByRole('button', { name: 'Delete question 2' }));
    await user.click(await screen.findByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(shown()).toEqual(['First', 'Third']));
    const toast =
      (await screen.findByText(/Question deleted successfully!/)).closest('.ant-message-notice') ??
      document.body;
    await user.click(within(toast as HTMLElement).getByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(shown()).toEqual(['First', 'Second', 'Third']));
    expect(stored()).toEqual(['First', 'Second', 'Third']);
    await user.click(screen.getByRole('button', { name: 'Redo' }));
    await waitFor(() => expect(stored()).toEqual(['First', 'Third']));
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(() => {
      expect(shown()).toEqual(['First', 'Second', 'Third']);
      expect(screen.getByText(/^Saved/)).toBeInTheDocument();
    });
  });

  it('the key deletes at once, the focus goes to the next card, and the toast has the way back', async () => {
    const { user } = await open();
    (await edit(2)).focus();
    await user.keyboard('{Delete}');
    await waitFor(() => expect(stored()).toEqual(['First', 'Third']));
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    await waitFor(() => expect(document.activeElement).toHaveAccessibleName('Edit question 2'));
    await screen.findByText(/Question deleted successfully!/);
    await user.keyboard('{Control>}z{/Control}');
    await waitFor(() => expect(shown()).toEqual(['First', 'Second', 'Third']));
  });

  it('an order, a text, and a question that was added', async () => {
    const { user } = await open();
    (await edit(1)).focus();
    await user.keyboard('{Alt>}{ArrowDown}{/Alt}');
    await waitFor(() => expect(stored()).toEqual(['Second', 'First', 'Third']));
    await user.click(await edit(3));
    await fill(user, await screen.findByLabelText('Question Text'), ' one');
    await user.click(screen.getByRole('button', { name: 'Save Changes' }));
    await waitFor(() => expect(stored()).toEqual(['Second', 'First', 'Third one']));
    await user.click(await screen.findByRole('button', { name: 'Duplicate question 1' }));
    await waitFor(() => expect(stored()).toEqual(['Second', 'Second', 'First', 'Third one']));
    await edit(4);
    await screen.findByText(/^Saved/);
    for (let step = 0; step < 3; step++) await user.keyboard('{Control>}z{/Control}');
    await waitFor(() => expect(stored()).toEqual(['First', 'Second', 'Third']));
    for (let step = 0; step < 3; step++) await user.keyboard('{Control>}{Shift>}z{/Shift}{/Control}');
    await waitFor(() => expect(stored()).toEqual(['Second', 'Second', 'First', 'Third one']));
    await waitFor(() => {
      expect(shown()).toEqual(stored());
      expect(screen.getByRole('button', { name: 'Redo' })).toBeDisabled();
      expect(screen.getByText(/^Saved/)).toBeInTheDocument();
    });
  });

  it('tells why it could not be', async () => {
    const { user } = await open();
    (await edit(1)).focus();
    await user.keyboard('{Alt>}{ArrowDown}{/Alt}');
    await waitFor(() => expect(screen.getByRole('button', { name: 'Undo' })).toBeEnabled());
    server.patch('/api/surveys/{surveyId}/questions/order', () => refusal(409, 'Survey is locked'));
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(await screen.findByText('Failed to undo: survey is locked')).toBeVisible();
  });
});

describe('what is written', () => {
  const write = async (text: string) => {
    const visited = await open();
    await visited.user.click(await edit(1));
    const field = await screen.findByLabelText('Question Text');
    // The dialog gives it the focus once it stands; letters before that would go elsewhere.
    await waitFor(() => expect(field).toHaveFocus());
    await visited.user.type(field, text);
    return visited;
  };

  it('is saved while it is written, which is shown', async () => {
    await write(', please');
    expect(await screen.findByText(/^Saved \d\d:\d\d$/)).toBeInTheDocument();
    // Who types slowly is saved in between.
    await waitFor(() => expect(stored()[0]).toBe('First, please'));
    expect(screen.getByRole('dialog')).toBeVisible();
  });

  it('says in place what a required question is', async () => {
    const { user } = await write('!');
    await user.click(screen.getByRole('button', { name: 'What is a required question?' }));
    expect(await screen.findByText(/answer every question, required or not/)).toBeInTheDocument();
  });

  it('is not saved by itself where the settings say so', async () => {
    autoSave = false;
    const { user } = await write('!');
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(server.sent('patch', '/api/surveys/questions/31')).toEqual([]);
  });

  it('tells why it is not saved', async () => {
    server.patch(ONE, () => refusal(409, 'Survey is locked'));
    const { user } = await write('!');
    expect(await screen.findByText('Not saved: Survey is locked')).toBeInTheDocument();
    await user.clear(screen.getByLabelText('Question Text'));
    expect(await screen.findByText('Not saved: Question text is required')).toBeInTheDocument();
  });

  it('is taken back by Cancel, saved or not', async () => {
    const { user } = await write('!');
    await screen.findByText(/^Saved/);
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(stored()[0]).toBe('First'));
    await waitFor(() => expect(shown()[0]).toBe('First'));
    // What was cancelled is no step to take back.
    expect(screen.getByRole('button', { name: 'Undo' })).toBeDisabled();
    expect(screen.queryByText(/^Not saved/)).not.toBeInTheDocument();
  });

  it('is taken back step by step, with what was done by a preset', async () => {
    autoSave = false;
    const { user } = await write('!');
    await user.click(screen.getByRole('button', { name: 'Agree 7' }));
    expect(screen.getByLabelText('Option 7')).toHaveValue('Strongly agree');
    await user.click(screen.getByLabelText('Question Text'));
    await user.keyboard('{Control>}z{/Control}');
    expect(screen.getByLabelText('Option 1')).toHaveValue('Coffee');
    await user.keyboard('{Control>}z{/Control}');
    expect(screen.getByLabelText('Question Text')).toHaveValue('First');
    await user.keyboard('{Control>}y{/Control}');
    expect(screen.getByLabelText('Question Text')).toHaveValue('First!');
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
  });

  it('is shown beside what another tab saved, and never written over it unasked', async () => {
    const { user } = await open();
    await user.click(await edit(1));
    list = list.map((one) => (one.id === 31 ? { ...one, text: 'Of the other tab' } : one));
    await user.type(await screen.findByLabelText('Question Text'), '!');
    expect(await screen.findByText('This question was changed elsewhere')).toBeVisible();
    expect(screen.getByText('Of the other tab')).toBeVisible();
    expect(stored()[0]).toBe('Of the other tab');
    await user.click(screen.getByRole('button', { name: 'Keep mine' }));
    await waitFor(() => expect(stored()[0]).toBe('First!'));
    await screen.findByText(/^Saved/);
  });

  it('gives way to what another tab saved, if that is taken', async () => {
    const { user } = await open();
    await user.click(await edit(1));
    list = list.map((one) => (one.id === 31 ? { ...one, text: 'Of the other tab' } : one));
    await user.type(await screen.findByLabelText('Question Text'), '!');
    await user.click(await screen.findByRole('button', { name: 'Take theirs' }));
    expect(screen.getByLabelText('Question Text')).toHaveValue('Of the other tab');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(shown()[0]).toBe('Of the other tab'));
    expect(stored()[0]).toBe('Of the other tab');
  });

  it('is not taken back by Cancel where another tab saved something else since', async () => {
    const { user } = await write('!');
    await screen.findByText(/^Saved/);
    list = list.map((one) => (one.id === 31 ? { ...one, text: 'Of the other tab' } : one));
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(await screen.findByText(/the question was changed meanwhile/)).toBeInTheDocument();
    expect(stored()[0]).toBe('Of the other tab');
  });

  it('is not saved by itself before it is known whether it may be, nor without a read before', async () => {
    let known: (answer: typeof settings) => void = () => undefined;
    server.get('/api/auth/settings', () => new Promise((resolve) => (known = resolve)));
    const { user } = await write('!');
    await user.keyboard('{Escape}');
    expect(server.sent('patch', '/api/surveys/questions/31')).toEqual([]);
    await user.click(await edit(1));
    await user.type(await screen.findByLabelText('Question Text'), '!');
    const reads = () => server.calls.filter(({ path }) => path === '/api/surveys/3/questions').length;
    const before = reads();
    known({ ...settings, autoSave: true });
    await waitFor(() => expect(stored()[0]).toBe('First!!'));
    expect(reads()).toBe(before);
    await screen.findByText(/^Saved/);
  });

  it('can be put back where another tab deleted the question', async () => {
    const { user } = await open();
    await user.click(await edit(1));
    list = list.slice(1);
    await user.type(await screen.findByLabelText('Question Text'), '!');
    expect(await screen.findByText('This question was deleted elsewhere')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Put mine back' }));
    await waitFor(() => expect(stored()).toContain('First!'));
    await screen.findByText(/^Saved/);
  });
});
