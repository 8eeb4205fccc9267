import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Design } from '@/api/design';
import { stopClock, until } from '@/testing/clock';
import { designServer, isSaved, openDesign, twoBlocks, type DesignState } from '@/testing/design';
import { choose, fill, shownDialog } from '@/testing/render';
import { refusal } from '@/testing/server';

const DESIGN = '/api/surveys/3/design';

let server: ReturnType<typeof designServer>['server'];
let state: DesignState;

beforeEach(() => {
  ({ server, state } = designServer());
});

describe('the flow of a plain survey', () => {
  it('is a sentence with three ways on, and arms are made from it', async () => {
    const { user, router } = await openDesign();
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
    await isSaved(state, [
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
    const { user } = await openDesign();
    await user.click(await screen.findByRole('button', { name: 'Screening' }));
    await isSaved(state, [
      { block: 'screen', questions: ['ok'] },
      { if: { answer: 'ok', is: false }, then: [{ end: 'screened_out' }] },
      { block: 'main', questions: ['drink', 'why'] },
    ]);
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await isSaved(state, []);
    await user.click(screen.getByRole('button', { name: 'Redo' }));
    await waitFor(() => expect(state.design.flow).toHaveLength(3));
  });
});

describe('a design that could not be saved', () => {
  it('is tried again', async () => {
    await openDesign();
    await screen.findByText('Every twin is asked all questions, in their order.');
    const screening = screen.getByRole('button', { name: 'Screening' });
    let isAway = true;
    server.put('/api/surveys/{surveyId}/design', ({ body }) => {
      if (isAway) return refusal(503, 'The database is away');
      state.design = { ...(body as Design), hash: 'h1' };
      return state.design as never;
    });
    stopClock();
    fireEvent.click(screening);
    await until(() => server.sent('put', DESIGN).length === 1);
    isAway = false;
    await until(() => state.design.hash === 'h1');
    expect(server.sent('put', DESIGN)).toHaveLength(2);
  });
});

describe('the tree', () => {
  beforeEach(() => {
    state.design.flow = twoBlocks;
  });

  it('is changed by keyboard alone: nodes and questions move, and go', async () => {
    const { user } = await openDesign();
    (await screen.findByRole('button', { name: 'Move Block main' })).focus();
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    await isSaved(state, [twoBlocks[1], twoBlocks[0]]);
    expect(screen.getByRole('button', { name: 'Move Block main' })).toHaveFocus();
    await user.keyboard('{ArrowDown}');
    expect(screen.getByRole('button', { name: 'Move Block screen' })).toHaveFocus();
    screen.getByRole('button', { name: 'Move question why' }).focus();
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    await waitFor(() => expect(state.design.flow[0]).toEqual({ block: 'main', questions: ['why', 'drink'] }));
    expect(screen.getByRole('button', { name: 'Move question why' })).toHaveFocus();
    screen.getByRole('button', { name: 'Move Block screen' }).focus();
    await user.keyboard('{Delete}');
    await isSaved(state, [{ block: 'main', questions: ['why', 'drink'] }]);
    expect(await screen.findByText('1 question is in no block')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Place ok' }));
    await isSaved(state, [{ block: 'main', questions: ['why', 'drink', 'ok'] }]);
  });

  it('gets a branch whose condition is three choices, and a block moves into it', async () => {
    const { user } = await openDesign();
    await user.click(await screen.findByRole('button', { name: 'Add to: The survey' }));
    await user.click(await screen.findByRole('menuitem', { name: /^If/ }));
    const branch = within(await screen.findByRole('article', { name: 'If' }));
    await user.click(branch.getByRole('button', { name: '+ Condition' }));
    await waitFor(() => expect(state.design.flow[2]).toEqual({ if: { answer: 'ok', is: true }, then: [] }));
    await choose(user, 'What is read', 'drink: About drink');
    await choose(user, 'How it is compared', 'is not');
    await waitFor(() =>
      expect(state.design.flow[2]).toEqual({ if: { answer: 'drink', is_not: 'Coffee' }, then: [] }),
    );
    await user.click(screen.getByRole('button', { name: 'More for Block main' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Move to…' }));
    const dialog = within(await shownDialog());
    await user.click(dialog.getByRole('radio', { name: 'If: then' }));
    await user.click(dialog.getByRole('button', { name: 'Move' }));
    await isSaved(state, [twoBlocks[0], { if: { answer: 'drink', is_not: 'Coffee' }, then: [twoBlocks[1]] }]);
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
    const { user } = await openDesign();
    const main = within(await screen.findByRole('article', { name: 'Block main' }));
    expect(await main.findByText('There is no drink.')).toBeVisible();
    expect(screen.getByText('1 error')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Go there: There is no drink.' }));
    expect(screen.getByRole('button', { name: 'Move Block main' })).toHaveFocus();
    await user.click(screen.getByRole('button', { name: 'Go there: Nobody is asked why.' }));
    expect(await screen.findByLabelText('Question Text')).toHaveValue('About why');
  });

  it('that somebody else changed meanwhile shows both, and is not written over unasked', async () => {
    const { user } = await openDesign();
    await screen.findByRole('article', { name: 'Block main' });
    state.design = { flow: [{ block: 'theirs', questions: [] }], tables: {}, hash: 'h7' };
    screen.getByRole('button', { name: 'Move Block main' }).focus();
    await user.keyboard('{Delete}');
    expect(await screen.findByText('The flow was changed elsewhere')).toBeVisible();
    expect(screen.getByRole('region', { name: 'Theirs' })).toHaveTextContent('theirs');
    expect(state.design.hash).toBe('h7');
    await user.click(screen.getByRole('button', { name: 'Keep mine' }));
    await isSaved(state, [twoBlocks[0]]);
  });

  it('that is locked meanwhile says so, and shows no other flow', async () => {
    server.put('/api/surveys/{surveyId}/design', () => refusal(409, 'Survey is locked'));
    const { user } = await openDesign();
    await screen.findByRole('article', { name: 'Block main' });
    screen.getByRole('button', { name: 'Move Block main' }).focus();
    await user.keyboard('{Delete}');
    expect(await screen.findByText(/Survey is locked/)).toBeVisible();
    expect(screen.queryByText('The flow was changed elsewhere')).toBeNull();
  });

  it('keeps the focus when its last node goes', async () => {
    state.design.flow = [{ if: { answer: 'ok', is: true }, then: [{ block: 'main', questions: ['ok'] }] }];
    const { user } = await openDesign();
    (await screen.findByRole('button', { name: 'Move Block main' })).focus();
    await user.keyboard('{Delete}');
    expect(screen.getByRole('button', { name: 'Move If' })).toHaveFocus();
    await user.keyboard('{Delete}');
    await isSaved(state, []);
    expect(screen.getByRole('button', { name: 'Arms' })).toHaveFocus();
  });
});

describe('the JSON', () => {
  it('is saved as soon as it is a design, and never before', async () => {
    const { user } = await openDesign('json');
    const field = await screen.findByLabelText('Flow as JSON');
    await user.clear(field);
    await user.click(field);
    await user.paste('{"flow": [{"block": "a"}], "tables": {}}');
    expect(await screen.findByText('Not saved. /flow/0: a block needs “questions”')).toBeVisible();
    await user.clear(field);
    await user.click(field);
    await user.paste('{"flow": [{"block": "a", "questions": ["ok"]}], "tables": {}}');
    await isSaved(state, [{ block: 'a', questions: ['ok'] }]);
    expect(server.sent('put', DESIGN)).toHaveLength(1);
  });
});
