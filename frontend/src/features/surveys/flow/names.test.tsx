import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Design } from '@/api/design';
import type { Question } from '@/api/types';
import {
  ask,
  designServer,
  isSaved,
  nextHash,
  openDesign,
  twoBlocks,
  type DesignState,
} from '@/testing/design';
import { fill } from '@/testing/render';
import { refusal } from '@/testing/server';

let server: ReturnType<typeof designServer>['server'];
let state: DesignState;

beforeEach(() => {
  ({ server, state } = designServer());
});

describe('a name', () => {
  const arms = (random: string, ...names: string[]): Design['flow'][number] => ({
    random,
    take: 1,
    of: names.map((arm) => ({ arm, flow: [{ set: { fee: `a fee of ${arm}` } }] })),
  });
  beforeEach(() => {
    state.design.flow = [
      arms('fee_arm', 'resort', 'service'),
      { if: { field: 'fee_arm', is: 'resort' }, then: [] },
      ...twoBlocks,
    ];
    state.questions[2] = ask('why', 3, {
      text: 'Why {{field:fee}} for {{field:fee_arm}}?',
      showIf: { field: 'fee_arm', is_not: 'service' } as never,
    });
    server.patch('/api/surveys/questions/{questionId}', ({ params, body }) => {
      const at = state.questions.findIndex(({ id }) => String(id) === params.questionId);
      const { text, showIf } = body as unknown as Question;
      const changed: Question = { ...(state.questions[at] as Question), text, showIf };
      state.questions[at] = changed;
      return changed;
    });
    // In these surveys a name is a whole text, or ends a pipe.
    server.post('/api/surveys/{surveyId}/rename', ({ body }) => {
      const { from, to, expectedHash } = body as { from: string; to: string; expectedHash: string };
      if (expectedHash !== state.design.hash)
        return refusal(409, 'The design was changed meanwhile', 'design_changed');
      const renamed = JSON.stringify([state.questions, state.design.flow])
        .replaceAll(`"${from}"`, `"${to}"`)
        .replaceAll(`:${from}}}`, `:${to}}}`);
      const [questions, flow] = JSON.parse(renamed) as [Question[], Design['flow']];
      state.questions = questions;
      state.design = { ...state.design, flow, hash: nextHash(state) };
      return { questions, design: state.design } as never;
    });
  });
  const why = () => state.questions[2] as Question;

  it('of arms, an arm and a field is followed wherever it is read, in one step of undo', async () => {
    const { user } = await openDesign();
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
    await isSaved(state, [
      {
        random: 'price',
        take: 1,
        of: [
          { arm: 'resort', flow: [{ set: { charge: 'a fee of resort' } }] },
          { arm: 'tip', flow: [{ set: { charge: 'a fee of service' } }] },
        ],
      },
      { if: { field: 'price', is: 'resort' }, then: [] },
      ...twoBlocks,
    ]);
    await waitFor(() => expect(screen.getByRole('button', { name: 'Undo' })).toBeEnabled());
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(why().text).toBe('Why {{field:fee}} for {{field:price}}?'));
    await waitFor(() => expect(JSON.stringify(state.design.flow)).toContain('"fee":"a fee of service"'));
    await user.click(screen.getByRole('button', { name: 'Redo' }));
    await waitFor(() => expect(JSON.stringify(state.design.flow)).toContain('"charge":"a fee of service"'));
  });

  it('that something else has is refused at its field, and nothing is saved', async () => {
    const taken = 'to: another arm of random node “fee_arm” is called “resort” already';
    server.post('/api/surveys/{surveyId}/rename', () => refusal(409, taken, 'name_taken'));
    const { user } = await openDesign();
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
    expect(state.design.hash).toBe('h0');
    expect(server.sent('post', '/api/surveys/3/rename')).toEqual([
      { kind: 'arm', random: 'fee_arm', from: 'service', to: 'resort', expectedHash: 'h0' },
    ]);
  });

  it('in a flow that somebody else changed is not made, and shows that flow', async () => {
    const { user } = await openDesign();
    const random = within(await screen.findByRole('article', { name: 'Random fee_arm' }));
    state.design = { flow: [{ block: 'theirs', questions: [] }], tables: {}, hash: 'h7' };
    await user.type(random.getByLabelText('Name of the random'), 's{Enter}');
    expect(await screen.findByRole('article', { name: 'Block theirs' })).toBeVisible();
    expect(state.design.hash).toBe('h7');
  });

  it('of a field that no other node sets joins the field of another node', async () => {
    state.design.flow = [{ set: { fee: 'a fee' } }, { set: { tip: 'a tip' } }, ...twoBlocks];
    const { user } = await openDesign();
    const field = (await screen.findAllByLabelText('Field 1'))[1] as HTMLElement;
    await user.clear(field);
    await user.type(field, 'fee{Enter}');
    await isSaved(state, [{ set: { fee: 'a fee' } }, { set: { fee: 'a tip' } }, ...twoBlocks]);
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await isSaved(state, [{ set: { fee: 'a fee' } }, { set: { tip: 'a tip' } }, ...twoBlocks]);
    expect(server.sent('post', '/api/surveys/3/rename')).toEqual([]);
  });

  it('of a question is followed by the questions and the flow, in one step of undo', async () => {
    state.design.flow = [{ if: { answer: 'ok', is: true }, then: twoBlocks }];
    state.questions[2] = ask('why', 3, {
      text: 'You said {{answer:ok}}.',
      showIf: { answered: 'ok' } as never,
    });
    const { user } = await openDesign('questions');
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
        then: [{ block: 'screen', questions: ['agrees'] }, twoBlocks[1]],
      },
    ];
    await isSaved(state, after);
    await waitFor(() => expect(why().text).toBe('You said {{answer:agrees}}.'));
    expect(why().showIf).toEqual({ answered: 'agrees' });
    await waitFor(() => expect(screen.getByRole('button', { name: 'Undo' })).toBeEnabled());
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(why().text).toBe('You said {{answer:ok}}.'));
    await isSaved(state, [{ if: { answer: 'ok', is: true }, then: twoBlocks }]);
    expect(state.questions[0]?.name).toBe('ok');
  });

  it('that was saved by itself and is then given up goes back everywhere', async () => {
    state.design.flow = [{ if: { answer: 'ok', is: true }, then: twoBlocks }];
    const { user } = await openDesign('questions');
    await user.click(await screen.findByRole('button', { name: 'Edit question 1' }));
    await user.type(await screen.findByLabelText('Name'), 'ay');
    await user.tab();
    await waitFor(() => expect(JSON.stringify(state.design.flow)).toContain('"answer":"okay"'));
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await isSaved(state, [{ if: { answer: 'ok', is: true }, then: twoBlocks }]);
    expect(state.questions[0]?.name).toBe('ok');
  });
});
