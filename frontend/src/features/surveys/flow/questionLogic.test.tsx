import { screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Question } from '@/api/types';
import { designServer, twoBlocks, type DesignState } from '@/testing/design';
import { visit } from '@/testing/render';

let server: ReturnType<typeof designServer>['server'];
let state: DesignState;

beforeEach(() => {
  ({ server, state } = designServer());
});

describe('a question', () => {
  it('offers what its text can insert, and when it is shown', async () => {
    state.design.flow = [{ set: { fee: 'a fee' } }, ...twoBlocks];
    server.patch('/api/surveys/questions/{questionId}', () => state.questions[2] as Question);
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
    server.patch('/api/surveys/questions/{questionId}', () => state.questions[1] as Question);
    const { user } = visit('/surveys/3');
    await user.click(await screen.findByRole('button', { name: 'Edit question 2' }));
    await user.click(await screen.findByRole('button', { name: /Logic/ }));
    const [option = ''] = state.questions[1]?.options.map(({ text }) => text) ?? [];
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
