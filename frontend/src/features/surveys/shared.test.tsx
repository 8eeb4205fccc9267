import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { config, group, question, survey } from '@/testing/fixtures';
import { fill, shownDialog, visit } from '@/testing/render';
import { refusal } from '@/testing/server';
import { surveyServer } from '@/testing/surveys';

const others = {
  ...survey,
  id: 8,
  title: 'Tea',
  userId: 2,
  visibility: 'PUBLIC' as const,
  simulationId: 'a',
};
let server: ReturnType<typeof surveyServer>;

beforeEach(() => {
  server = surveyServer();
  server.get('/api/surveys/my', ({ query }) =>
    query.get('shared') === 'true' ? [survey, others] : [survey],
  );
  server.get('/api/surveys/{surveyId}', () => ({ ...others, questions: [question] }));
});

describe('a survey of somebody else', () => {
  it('stands under what is shared, with its questions, its results and a way to copy it', async () => {
    const { user } = visit('/survey-builder');
    const panel = within(
      (await screen.findByRole('heading', { name: 'Shared in your groups' })).closest(
        'section',
      ) as HTMLElement,
    );
    expect(panel.getByText('Tea')).toBeVisible();
    expect(panel.queryByText('Coffee')).not.toBeInTheDocument();
    expect(panel.getByRole('link', { name: 'View Questions' })).toHaveAttribute('href', '/surveys/8');
    expect(panel.getByRole('link', { name: 'Results' })).toHaveAttribute(
      'href',
      '/simulation-history?survey=8',
    );
    await user.click(panel.getByRole('button', { name: 'Duplicate Survey' }));
    expect(within(await shownDialog()).getByLabelText('Title')).toHaveValue('Tea (Copy)');
  });

  it('is on a page of its own list, and so are those of the user', async () => {
    const many = (one: typeof survey, title: string) =>
      Array.from({ length: 21 }, (_, index) => ({ ...one, id: 100 + index, title: `${title} ${index}` }));
    server.get('/api/surveys/my', ({ query }) =>
      query.get('shared') === 'true' ? many(others, 'Tea') : many(survey, 'Coffee'),
    );
    const { user, router } = visit('/survey-builder?shared=2');
    expect(await screen.findByText('Tea 20')).toBeVisible();
    expect(screen.getByText('Coffee 0')).toBeVisible();
    const pages = within(screen.getByRole('navigation', { name: 'Pages of surveys' }));
    await user.click(pages.getByRole('button', { name: 'Page 2' }));
    expect(await screen.findByText('Coffee 20')).toBeVisible();
    expect(router.state.location.search).toBe('?shared=2&page=2');
  });

  it('is read, not changed', async () => {
    visit('/surveys/8');
    expect(await screen.findByText(/You are reading somebody else's survey/)).toBeVisible();
    expect(screen.getByRole('button', { name: '+ Add Question' })).toBeDisabled();
    expect(await screen.findByRole('button', { name: 'Edit question 1' })).toBeDisabled();
    expect(screen.getByRole('button', { name: 'Delete question 1' })).toBeDisabled();
    expect(screen.queryByRole('button', { name: /Move question/ })).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Duplicate Survey' })).toBeEnabled();
  });
});

describe('the menu of a survey', () => {
  async function choose(item: string) {
    const { user } = visit('/survey-builder');
    await user.click(await screen.findByRole('button', { name: 'More for Coffee' }));
    await user.click(await screen.findByRole('menuitem', { name: item }));
    return user;
  }

  it('does not offer to unlock what its runs lock, and says why', async () => {
    const mine = { ...survey, isLocked: true };
    server.get('/api/surveys/my', () => [
      { ...mine, simulationId: 'a' },
      { ...mine, id: 5, title: 'Milk' },
    ]);
    const { user } = visit('/survey-builder');
    await user.click(await screen.findByRole('button', { name: 'More for Coffee' }));
    const unlock = await screen.findByRole('menuitem', { name: /^Unlock/ });
    expect(unlock).toHaveAttribute('aria-disabled', 'true');
    expect(unlock).toHaveTextContent('It has simulations: duplicate it to edit');
    await user.keyboard('{Escape}');
    await user.click(screen.getByRole('button', { name: 'More for Milk' }));
    expect(await screen.findByRole('menuitem', { name: 'Unlock' })).not.toHaveAttribute(
      'aria-disabled',
      'true',
    );
  });

  it('renames it', async () => {
    server.patch('/api/surveys/{surveyId}', () => survey);
    const user = await choose('Rename');
    const dialog = within(await shownDialog());
    await fill(user, dialog.getByLabelText('Title'), ' now');
    await user.click(dialog.getByRole('button', { name: 'Save Changes' }));
    await expect
      .poll(() => server.sent('patch', '/api/surveys/3'))
      .toEqual([{ title: 'Coffee now', description: '' }]);
  });

  it.each([
    ['Make Public', 'toggle-visibility', 'All members of your group see it now'],
    ['Lock', 'toggle-lock', 'Survey locked'],
  ] as const)('has %s', async (item, call, words) => {
    server.patch(`/api/surveys/{surveyId}/${call}`, () => survey);
    await choose(item);
    expect(await screen.findByText(words)).toBeVisible();
  });

  it('exports it as a file', async () => {
    const saved: Blob[] = [];
    vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
      saved.push(file as Blob);
      return 'blob:file';
    });
    const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    const file = { title: 'Coffee', questions: [] };
    server.get('/api/surveys/{surveyId}/export', () => file as never);
    await choose('Export');
    await expect.poll(() => saved.length).toBe(1);
    expect(JSON.parse(await (saved[0] as Blob).text())).toEqual(file);
    expect((clicked.mock.contexts[0] as HTMLAnchorElement).download).toBe('survey-3-coffee.json');
    clicked.mockRestore();
  });

  it('deletes it when that is confirmed, and tells why it could not', async () => {
    server.delete('/api/surveys/{surveyId}', () => refusal(409, 'A simulation is running'));
    const user = await choose('Delete');
    await user.click(within(await shownDialog()).getByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('Failed to delete survey: a simulation is running')).toBeVisible();
  });
});

describe('a file', () => {
  async function load(text: string) {
    const { user } = visit('/survey-builder');
    await user.click(await screen.findByRole('button', { name: 'Import' }));
    const dialog = await shownDialog();
    const input = dialog.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement;
    await user.upload(input, new File([text], 'coffee.json', { type: 'application/json' }));
    await user.click(within(dialog).getByRole('button', { name: 'Import Survey' }));
    return within(dialog);
  }

  it('is imported into the group as it is', async () => {
    const file = { title: 'Coffee', description: '', questions: [] };
    const asked: string[] = [];
    server.post('/api/surveys/import', ({ query }) => {
      asked.push(query.toString());
      return { ...survey, title: 'Coffee', questions: [] } as never;
    });
    await load(JSON.stringify(file));
    expect(await screen.findByText('New survey: "Coffee"')).toBeVisible();
    expect(server.sent('post', '/api/surveys/import')).toEqual([file]);
    expect(asked).toEqual(['groupId=4']);
  });

  it('that is no JSON is not imported, and the reason is shown', async () => {
    const dialog = await load('title: Coffee');
    expect(await dialog.findByText('Failed to import survey: the file is not JSON')).toBeVisible();
    expect(server.sent('post', '/api/surveys/import')).toEqual([]);
  });
});

it('a survey is created only in open groups that one is a member of', async () => {
  const closed = { ...group, id: 5, groupName: 'Closed', status: 'closed' };
  const owned = { ...group, id: 6, groupName: 'Only owned', available: null };
  server.get('/api/groups/my', () => [group, closed, owned]);
  const { user } = visit('/survey-builder');
  await user.click(await screen.findByRole('button', { name: 'Create Survey' }));
  const dialog = within(await shownDialog());
  expect(
    dialog.getByText('Private surveys are visible only to you and to the owner of your group.'),
  ).toBeInTheDocument();
  await user.click(dialog.getByLabelText('Group'));
  expect(await screen.findByTitle('Mornings')).toBeInTheDocument();
  expect(screen.queryByTitle('Closed')).not.toBeInTheDocument();
  expect(screen.queryByTitle('Only owned')).not.toBeInTheDocument();
});

describe('the start dialog', () => {
  async function open(changed: Partial<typeof config>) {
    server.get('/api/surveys/{surveyId}/simulation-config', () => ({
      ...config,
      questionCount: 3,
      ...changed,
    }));
    const { user } = visit('/survey-builder');
    await user.click(await screen.findByRole('button', { name: 'Start Simulation' }));
    const dialog = within(await shownDialog());
    await dialog.findByLabelText('Number of digital twins');
    return { user, dialog };
  }

  it('offers what the group allows, and sends it', async () => {
    server.post('/api/simulations/survey/{surveyId}/start', () => refusal(409, 'Not now'));
    const { user, dialog } = await open({ models: ['twinlab-demo', 'other-model'] });
    await user.click(dialog.getByRole('button', { name: 'Advanced' }));
    await user.click(await dialog.findByLabelText('Model'));
    await user.click(await screen.findByTitle('other-model'));
    await user.click(dialog.getByLabelText('Profile text'));
    await user.click(await screen.findByTitle('Full: all that is known'));
    await user.type(dialog.getByLabelText('Questions per call'), '1');
    await user.click(dialog.getByLabelText(/Shuffle options/));
    await user.type(dialog.getByLabelText('Temperature'), '0.7');
    await fill(user, dialog.getByLabelText('Name of the run'), 'Second try');
    const run = { model: 'other-model', personaVariant: 'full', questionsPerCall: 1, temperature: 0.7 };
    const priced = () => server.calls.filter(({ query }) => query.get('price') === 'true').at(-1);
    await waitFor(() => expect(priced()?.body).toMatchObject({ run: { ...run, name: 'Second try' } }));
    await user.click(dialog.getByRole('button', { name: 'Start Simulation' }));
    expect(await dialog.findByText('Failed to start simulation: not now')).toBeVisible();
    expect(server.sent('post', '/api/simulations/survey/3/start')).toMatchObject([
      {
        model: 'other-model',
        personaVariant: 'full',
        questionsPerCall: 1,
        shuffleOptions: true,
        temperature: 0.7,
        name: 'Second try',
      },
    ]);
  });

  it('does not offer what it does not allow, nor a choice of one model', async () => {
    const { user, dialog } = await open({
      personaVariants: ['wave1_3', 'demographics', 'empty'],
      minQuestionsPerCall: 5,
    });
    await user.click(dialog.getByRole('button', { name: 'Advanced' }));
    expect(await dialog.findByText('5 or more in this group')).toBeVisible();
    expect(dialog.queryByLabelText('Model')).not.toBeInTheDocument();
    await user.click(dialog.getByLabelText('Profile text'));
    expect(await screen.findByTitle('Empty: nothing about anybody, as a baseline')).toBeInTheDocument();
    expect(screen.queryByTitle('Full: all that is known')).not.toBeInTheDocument();
  });

  it('opens with as many twins as the credits allow, and starts no more', async () => {
    const { user, dialog } = await open({ maxPersonas: 81 });
    const twins = dialog.getByLabelText('Number of digital twins');
    expect(twins).toHaveValue('81');
    expect(dialog.getByRole('button', { name: 'Start Simulation' })).toBeEnabled();
    await user.clear(twins);
    await user.type(twins, '82');
    expect(dialog.getByRole('button', { name: 'Start Simulation' })).toBeDisabled();
  });

  it('says first that a survey cannot be simulated, and why after it', async () => {
    const { dialog } = await open({ canSimulate: false, reason: 'Survey has no questions' });
    expect(dialog.getByText('Survey cannot be simulated: survey has no questions')).toBeVisible();
  });
});
