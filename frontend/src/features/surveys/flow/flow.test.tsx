import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Design } from '@/api/design';
import type { Question } from '@/api/types';
import { config, group, question, settings, survey } from '@/testing/fixtures';
import { stopClock, until } from '@/testing/clock';
import { choose, fill, shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

const DESIGN = '/api/surveys/3/design';

let server: ReturnType<typeof mockServer>;
/** The state of the server. */
let saved: Design & { hash: string };
let list: Question[];

const ask = (name: string, id: number, more: Partial<Question> = {}): Question => ({
  ...question,
  id,
  name,
  order: id,
  text: `About ${name}`,
  ...more,
});

beforeEach(() => {
  saved = { flow: [], tables: {}, hash: 'h0' };
  list = [ask('ok', 1, { questionType: 'BOOLEAN', options: [] }), ask('drink', 2), ask('why', 3)];
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [] }));
  server.get('/api/auth/settings', () => settings);
  server.get('/api/surveys/{surveyId}/simulation-config', () => config);
  server.get('/api/surveys/{surveyId}/questions', () => list);
  server.get('/api/personas/attributes', () => [
    { label: 'Gender', values: [{ value: 'Female', count: 1 }] },
  ]);
  server.get('/api/surveys/{surveyId}/design', () => saved as never);
  server.put('/api/surveys/{surveyId}/design', ({ body }) => {
    const { flow, tables, expectedHash } = body as Design & { expectedHash: string };
    if (expectedHash !== saved.hash)
      return refusal(409, 'The design is not the expected one', 'design_changed');
    saved = { flow, tables, hash: `h${Number(saved.hash.slice(1)) + 1}` };
    return saved as never;
  });
  server.post('/api/surveys/{surveyId}/design/check', () => ({ findings: [], requestsPerTwin: 3, arms: [] }));
  signInAs('user');
});

const open = async (tab = 'flow') => {
  const visited = visit(`/surveys/3?tab=${tab}`);
  await screen.findByRole('tab', { name: 'Flow', selected: tab === 'flow' });
  return visited;
};
const isSaved = (flow: unknown) => waitFor(() => expect(saved.flow).toEqual(flow));

const two: Design['flow'] = [
  { block: 'screen', questions: ['ok'] },
  { block: 'main', questions: ['drink', 'why'] },
];

describe('the flow of a plain survey', () => {
  it('is a sentence with three ways on, and arms are made from it', async () => {
    const { user, router } = await open();
    expect(await screen.findByText('Every twin is asked all questions, in their order.')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Arms' }));
    const dialog = within(await shownDialog());
    await user.clear(dialog.getByLabelText('Name of the arms'));
    await fill(user, dialog.getByLabelText('Name of the arms'), 'fee_arm');
    await user.clear(dialog.getByLabelText('Field'));
    await user.type(dialog.getByLabelText('Field'), 'fee');
    await fill(user, dialog.getByLabelText('Text of arm 1'), 'a resort fee');
    await fill(user, dialog.getByLabelText('Text of arm 2'), 'a service fee');
    await user.click(dialog.getByRole('button', { name: 'Make arms' }));
    await isSaved([
      {
        random: 'fee_arm',
        take: 1,
        of: [
          { arm: 'control', flow: [{ set: { fee: 'a resort fee' } }] },
          { arm: 'treatment', flow: [{ set: { fee: 'a service fee' } }] },
        ],
      },
      { block: 'main', questions: ['ok', 'drink', 'why'] },
    ]);
    expect(await screen.findByRole('button', { name: 'Move Random fee_arm' })).toHaveFocus();
    expect(screen.getAllByText('50 twins')).toHaveLength(2);
    expect(router.state.location.search).toBe('?tab=flow');
  });

  it('ends for who is screened out, and comes back with undo', async () => {
    const { user } = await open();
    await user.click(await screen.findByRole('button', { name: 'Screening' }));
    await isSaved([
      { block: 'screen', questions: ['ok'] },
      { if: { answer: 'ok', is: false }, then: [{ end: 'screened_out' }] },
      { block: 'main', questions: ['drink', 'why'] },
    ]);
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await isSaved([]);
    await user.click(screen.getByRole('button', { name: 'Redo' }));
    await waitFor(() => expect(saved.flow).toHaveLength(3));
  });
});

describe('a design that could not be saved', () => {
  it('is tried again', async () => {
    await open();
    await screen.findByText('Every twin is asked all questions, in their order.');
    const screening = screen.getByRole('button', { name: 'Screening' });
    let isAway = true;
    server.put('/api/surveys/{surveyId}/design', ({ body }) => {
      if (isAway) return refusal(503, 'The database is away');
      saved = { ...(body as Design), hash: 'h1' };
      return saved as never;
    });
    stopClock();
    fireEvent.click(screening);
    await until(() => server.sent('put', DESIGN).length === 1);
    isAway = false;
    await until(() => saved.hash === 'h1');
    expect(server.sent('put', DESIGN)).toHaveLength(2);
  });
});

describe('the tree', () => {
  beforeEach(() => {
    saved = { ...saved, flow: two };
  });

  it('is changed by keyboard alone: nodes and questions move, and go', async () => {
    const { user } = await open();
    (await screen.findByRole('button', { name: 'Move Block main' })).focus();
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    await isSaved([two[1], two[0]]);
    expect(screen.getByRole('button', { name: 'Move Block main' })).toHaveFocus();
    await user.keyboard('{ArrowDown}');
    expect(screen.getByRole('button', { name: 'Move Block screen' })).toHaveFocus();
    screen.getByRole('button', { name: 'Move question why' }).focus();
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    await waitFor(() => expect(saved.flow[0]).toEqual({ block: 'main', questions: ['why', 'drink'] }));
    expect(screen.getByRole('button', { name: 'Move question why' })).toHaveFocus();
    screen.getByRole('button', { name: 'Move Block screen' }).focus();
    await user.keyboard('{Delete}');
    await isSaved([{ block: 'main', questions: ['why', 'drink'] }]);
    expect(await screen.findByText('1 question is in no block')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Place ok' }));
    await isSaved([{ block: 'main', questions: ['why', 'drink', 'ok'] }]);
  });

  it('gets a branch whose condition is three choices, and a block moves into it', async () => {
    const { user } = await open();
    await user.click(await screen.findByRole('button', { name: 'Add to: The survey' }));
    await user.click(await screen.findByRole('menuitem', { name: /^If/ }));
    const branch = within(await screen.findByRole('article', { name: 'If' }));
    await user.click(branch.getByRole('button', { name: '+ Condition' }));
    await waitFor(() => expect(saved.flow[2]).toEqual({ if: { answer: 'ok', is: true }, then: [] }));
    await choose(user, 'What is read', 'drink: About drink');
    await choose(user, 'How it is compared', 'is not');
    await waitFor(() =>
      expect(saved.flow[2]).toEqual({ if: { answer: 'drink', is_not: 'Coffee' }, then: [] }),
    );
    await user.click(screen.getByRole('button', { name: 'More for Block main' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Move to…' }));
    const dialog = within(await shownDialog());
    await user.click(dialog.getByRole('radio', { name: 'If: then' }));
    await user.click(dialog.getByRole('button', { name: 'Move' }));
    await isSaved([two[0], { if: { answer: 'drink', is_not: 'Coffee' }, then: [two[1]] }]);
  });

  it('shows what was found at its node, and leads there', async () => {
    server.post('/api/surveys/{surveyId}/design/check', () => ({
      findings: [
        {
          severity: 'error' as const,
          code: 'unknown_name' as const,
          pointer: '/flow/1/questions/0',
          message: 'There is no drink.',
        },
        {
          severity: 'warning' as const,
          code: 'never_asked' as const,
          pointer: '/questions/2',
          message: 'Nobody is asked why.',
        },
      ],
      requestsPerTwin: 0,
      arms: [],
    }));
    const { user } = await open();
    const main = within(await screen.findByRole('article', { name: 'Block main' }));
    expect(await main.findByText('There is no drink.')).toBeVisible();
    expect(screen.getByText('1 error')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Go there: There is no drink.' }));
    expect(screen.getByRole('button', { name: 'Move Block main' })).toHaveFocus();
    await user.click(screen.getByRole('button', { name: 'Go there: Nobody is asked why.' }));
    expect(await screen.findByLabelText('Question Text')).toHaveValue('About why');
  });

  it('that somebody else changed meanwhile shows both, and is not written over unasked', async () => {
    const { user } = await open();
    await screen.findByRole('article', { name: 'Block main' });
    saved = { flow: [{ block: 'theirs', questions: [] }], tables: {}, hash: 'h7' };
    screen.getByRole('button', { name: 'Move Block main' }).focus();
    await user.keyboard('{Delete}');
    expect(await screen.findByText('The flow was changed elsewhere')).toBeVisible();
    expect(screen.getByRole('region', { name: 'Theirs' })).toHaveTextContent('theirs');
    expect(saved.hash).toBe('h7');
    await user.click(screen.getByRole('button', { name: 'Keep mine' }));
    await isSaved([two[0]]);
  });

  it('that is locked meanwhile says so, and shows no other flow', async () => {
    server.put('/api/surveys/{surveyId}/design', () => refusal(409, 'Survey is locked'));
    const { user } = await open();
    await screen.findByRole('article', { name: 'Block main' });
    screen.getByRole('button', { name: 'Move Block main' }).focus();
    await user.keyboard('{Delete}');
    expect(await screen.findByText(/Survey is locked/)).toBeVisible();
    expect(screen.queryByText('The flow was changed elsewhere')).toBeNull();
  });

  it('keeps the focus when its last node goes', async () => {
    saved = {
      ...saved,
      flow: [{ if: { answer: 'ok', is: true }, then: [{ block: 'main', questions: ['ok'] }] }],
    };
    const { user } = await open();
    (await screen.findByRole('button', { name: 'Move Block main' })).focus();
    await user.keyboard('{Delete}');
    expect(screen.getByRole('button', { name: 'Move If' })).toHaveFocus();
    await user.keyboard('{Delete}');
    await isSaved([]);
    expect(screen.getByRole('button', { name: 'Arms' })).toHaveFocus();
  });
});

describe('the JSON', () => {
  it('is saved as soon as it is a design, and never before', async () => {
    const { user } = await open('json');
    const field = await screen.findByLabelText('Flow as JSON');
    await user.clear(field);
    await user.click(field);
    await user.paste('{"flow": [{"block": "a"}], "tables": {}}');
    expect(await screen.findByText('Not saved. /flow/0: a block needs “questions”')).toBeVisible();
    await user.clear(field);
    await user.click(field);
    await user.paste('{"flow": [{"block": "a", "questions": ["ok"]}], "tables": {}}');
    await isSaved([{ block: 'a', questions: ['ok'] }]);
    expect(server.sent('put', DESIGN)).toHaveLength(1);
  });
});

describe('a question', () => {
  it('offers what its text can insert, and when it is shown', async () => {
    saved = { ...saved, flow: [{ set: { fee: 'a fee' } }, ...two] };
    server.patch('/api/surveys/questions/{questionId}', () => list[2] as Question);
    const { user } = visit('/surveys/3');
    await user.click(await screen.findByRole('button', { name: 'Edit question 3' }));
    const text = await screen.findByLabelText('Question Text');
    await user.clear(text);
    await user.type(text, 'Is {{{{fe');
    expect(await screen.findByRole('option', { name: /field:fee/ })).toHaveAttribute('aria-selected', 'true');
    await user.keyboard('{Enter}');
    expect(text).toHaveValue('Is {{field:fee}}');
    await user.click(screen.getByRole('button', { name: /Logic/ }));
    await user.click(await screen.findByRole('checkbox', { name: 'Show only if' }));
    await user.click(screen.getByRole('checkbox', { name: 'Attention check' }));
    await user.click(screen.getByRole('checkbox', { name: /^Desirable/ }));
    await user.click(screen.getByRole('checkbox', { name: /^Published/ }));
    await user.keyboard('{Control>}{Enter}{/Control}');
    await waitFor(() =>
      expect(server.sent('patch', '/api/surveys/questions/3').at(-1)).toMatchObject({
        text: 'Is {{field:fee}}',
        showIf: { answer: 'ok', is: true },
        check: { expect: ['Coffee'] },
        desirable: true,
        published: true,
        reverseRows: null,
        shuffle: null,
      }),
    );
  });

  it('shows an option only to some, and to all again', async () => {
    server.patch('/api/surveys/questions/{questionId}', () => list[1] as Question);
    const { user } = visit('/surveys/3');
    await user.click(await screen.findByRole('button', { name: 'Edit question 2' }));
    await user.click(await screen.findByRole('button', { name: /Logic/ }));
    const [option = ''] = list[1]?.options.map(({ text }) => text) ?? [];
    const narrow = async () => {
      await user.click(await screen.findByRole('combobox', { name: 'Show an option only if' }));
      await user.click((await screen.findAllByTitle(option)).at(-1) as HTMLElement);
      return screen.findByRole('group', { name: `${option}: shown only if` });
    };
    expect(await narrow()).toBeVisible();
    await user.click(screen.getByRole('button', { name: `Show ${option} always` }));
    expect(screen.queryByRole('group', { name: `${option}: shown only if` })).toBeNull();
    await narrow();
    await user.keyboard('{Control>}{Enter}{/Control}');
    await waitFor(() =>
      expect(server.sent('patch', '/api/surveys/questions/2').at(-1)).toMatchObject({
        optionIf: { [option]: { answer: 'ok', is: true } },
      }),
    );
  });
});

describe('a name', () => {
  const arms = (random: string, ...names: string[]): Design['flow'][number] => ({
    random,
    take: 1,
    of: names.map((arm) => ({ arm, flow: [{ set: { fee: `a fee of ${arm}` } }] })),
  });
  beforeEach(() => {
    saved = {
      ...saved,
      flow: [
        arms('fee_arm', 'resort', 'service'),
        { if: { field: 'fee_arm', is: 'resort' }, then: [] },
        ...two,
      ],
    };
    list[2] = ask('why', 3, {
      text: 'Why {{field:fee}} for {{field:fee_arm}}?',
      showIf: { field: 'fee_arm', is_not: 'service' } as never,
    });
    server.patch('/api/surveys/questions/{questionId}', ({ params, body }) => {
      const at = list.findIndex(({ id }) => String(id) === params.questionId);
      const { text, showIf } = body as unknown as Question;
      const changed: Question = { ...(list[at] as Question), text, showIf };
      list[at] = changed;
      return changed;
    });
    // In these surveys a name is a whole text, or ends a pipe.
    server.post('/api/surveys/{surveyId}/rename', ({ body }) => {
      const { from, to, expectedHash } = body as { from: string; to: string; expectedHash: string };
      if (expectedHash !== saved.hash)
        return refusal(409, 'The design was changed meanwhile', 'design_changed');
      const renamed = JSON.stringify([list, saved.flow])
        .replaceAll(`"${from}"`, `"${to}"`)
        .replaceAll(`:${from}}}`, `:${to}}}`);
      const [questions, flow] = JSON.parse(renamed) as [Question[], Design['flow']];
      list = questions;
      saved = { ...saved, flow, hash: `h${Number(saved.hash.slice(1)) + 1}` };
      return { questions, design: saved } as never;
    });
  });
  const why = () => list[2] as Question;

  it('of arms, an arm and a field is followed wherever it is read, in one step of undo', async () => {
    const { user } = await open();
    const random = within(await screen.findByRole('article', { name: 'Random fee_arm' }));
    const rename = async (field: HTMLElement, to: string) => {
      await user.clear(field);
      await user.type(field, `${to}{Enter}`);
    };
    await rename(random.getAllByLabelText('Name of the arm')[1] as HTMLElement, 'tip');
    await waitFor(() => expect(why().showIf).toEqual({ field: 'fee_arm', is_not: 'tip' }));
    await rename(random.getByLabelText('Name of the random'), 'price');
    await waitFor(() => expect(why().text).toBe('Why {{field:fee}} for {{field:price}}?'));
    expect(why().showIf).toEqual({ field: 'price', is_not: 'tip' });
    const named = within(await screen.findByRole('article', { name: 'Random price' }));
    await rename(named.getAllByLabelText('Field 1')[0] as HTMLElement, 'charge');
    await waitFor(() => expect(why().text).toBe('Why {{field:charge}} for {{field:price}}?'));
    await isSaved([
      {
        random: 'price',
        take: 1,
        of: [
          { arm: 'resort', flow: [{ set: { charge: 'a fee of resort' } }] },
          { arm: 'tip', flow: [{ set: { charge: 'a fee of service' } }] },
        ],
      },
      { if: { field: 'price', is: 'resort' }, then: [] },
      ...two,
    ]);
    await waitFor(() => expect(screen.getByRole('button', { name: 'Undo' })).toBeEnabled());
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(why().text).toBe('Why {{field:fee}} for {{field:price}}?'));
    await waitFor(() => expect(JSON.stringify(saved.flow)).toContain('"fee":"a fee of service"'));
    await user.click(screen.getByRole('button', { name: 'Redo' }));
    await waitFor(() => expect(JSON.stringify(saved.flow)).toContain('"charge":"a fee of service"'));
  });

  it('that something else has is refused at its field, and nothing is saved', async () => {
    const taken = 'to: another arm of random node “fee_arm” is called “resort” already';
    server.post('/api/surveys/{surveyId}/rename', () => refusal(409, taken, 'name_taken'));
    const { user } = await open();
    const random = within(await screen.findByRole('article', { name: 'Random fee_arm' }));
    const field = random.getAllByLabelText('Name of the arm')[1] as HTMLElement;
    await user.clear(field);
    await user.type(field, 'resort{Enter}');
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'another arm of random node “fee_arm” is called “resort” already',
    );
    expect(field).toBeInvalid();
    await user.keyboard('{Escape}');
    expect(field).toHaveValue('service');
    expect(saved.hash).toBe('h0');
    expect(server.sent('post', '/api/surveys/3/rename')).toEqual([
      { kind: 'arm', random: 'fee_arm', from: 'service', to: 'resort', expectedHash: 'h0' },
    ]);
  });

  it('in a flow that somebody else changed is not made, and shows that flow', async () => {
    const { user } = await open();
    const random = within(await screen.findByRole('article', { name: 'Random fee_arm' }));
    saved = { flow: [{ block: 'theirs', questions: [] }], tables: {}, hash: 'h7' };
    await user.type(random.getByLabelText('Name of the random'), 's{Enter}');
    expect(await screen.findByRole('article', { name: 'Block theirs' })).toBeVisible();
    expect(saved.hash).toBe('h7');
  });

  it('of a field that no other node sets joins the field of another node', async () => {
    saved = {
      ...saved,
      flow: [{ set: { fee: 'a fee' } }, { set: { tip: 'a tip' } }, ...two],
    };
    const { user } = await open();
    const field = (await screen.findAllByLabelText('Field 1'))[1] as HTMLElement;
    await user.clear(field);
    await user.type(field, 'fee{Enter}');
    await isSaved([{ set: { fee: 'a fee' } }, { set: { fee: 'a tip' } }, ...two]);
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await isSaved([{ set: { fee: 'a fee' } }, { set: { tip: 'a tip' } }, ...two]);
    expect(server.sent('post', '/api/surveys/3/rename')).toEqual([]);
  });

  it('of a question is followed by the questions and the flow, in one step of undo', async () => {
    saved = { ...saved, flow: [{ if: { answer: 'ok', is: true }, then: two }] };
    list[2] = ask('why', 3, { text: 'You said {{answer:ok}}.', showIf: { answered: 'ok' } as never });
    const { user } = await open('questions');
    await user.click(await screen.findByRole('button', { name: 'Edit question 1' }));
    const field = await screen.findByLabelText('Name');
    await user.clear(field);
    await user.type(field, 'why');
    expect(await screen.findByText('Question 3 is called “why” already')).toBeVisible();
    await user.clear(field);
    await fill(user, field, 'agrees');
    await user.click(screen.getByRole('button', { name: 'Save Changes' }));
    const after = [
      {
        if: { answer: 'agrees', is: true },
        then: [{ block: 'screen', questions: ['agrees'] }, two[1]],
      },
    ];
    await isSaved(after);
    await waitFor(() => expect(why().text).toBe('You said {{answer:agrees}}.'));
    expect(why().showIf).toEqual({ answered: 'agrees' });
    await waitFor(() => expect(screen.getByRole('button', { name: 'Undo' })).toBeEnabled());
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(why().text).toBe('You said {{answer:ok}}.'));
    await isSaved([{ if: { answer: 'ok', is: true }, then: two }]);
    expect(list[0]?.name).toBe('ok');
  });

  it('that was saved by itself and is then given up goes back everywhere', async () => {
    saved = { ...saved, flow: [{ if: { answer: 'ok', is: true }, then: two }] };
    const { user } = await open('questions');
    await user.click(await screen.findByRole('button', { name: 'Edit question 1' }));
    await user.type(await screen.findByLabelText('Name'), 'ay');
    await user.tab();
    await waitFor(() => expect(JSON.stringify(saved.flow)).toContain('"answer":"okay"'));
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await isSaved([{ if: { answer: 'ok', is: true }, then: two }]);
    expect(list[0]?.name).toBe('ok');
  });
});
