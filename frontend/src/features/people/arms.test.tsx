import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Compared } from '@/api/types';
import { CALL, compared, serve, withFile } from '@/testing/people';
import { choose } from '@/testing/render';

/** A field of the form, read as JSON. */
const field = (body: unknown, name: string): unknown => {
  const part = String(body).split(`name="${name}"`)[1];
  return part === undefined ? undefined : JSON.parse(part.trim().split('\n')[0] ?? '');
};

const { arms: found } = compared.file;
const [node] = found.matched;

/** A file with a value, a random node and a scale that somebody has to decide about. */
const undecided: Compared = {
  ...compared,
  file: {
    ...compared.file,
    arms: {
      ...found,
      matched: node
        ? [{ ...node, values: [...node.values, { value: 'FL_99', arm: null, nearest: 'fee', people: 1 }] }]
        : [],
      unmatched: [
        ...found.unmatched,
        {
          node: 'price',
          reason: 'the file has no column that says its arms',
          nearest: 'Price',
          arms: ['low'],
        },
      ],
    },
  },
  scoring: [
    ...compared.scoring,
    {
      name: 'often',
      text: 'How often?',
      questionType: 'SINGLE_CHOICE',
      labels: ['Never', 'Sometimes', 'Always'],
      codes: [4, 1, 2],
      rows: 1,
      scale: 'nominal',
      reason: 'codes_disagree',
      isChosen: false,
    },
  ],
};

it('says which column has the arms and how questions are scored, and compares by other choices', async () => {
  const server = serve();
  const sent: unknown[] = [];
  server.post(CALL, ({ body }) => {
    sent.push([field(body, 'arms'), field(body, 'scales')]);
    return undecided;
  });
  const user = await withFile();
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  // It is open, because there is something to decide.
  const arms = within(await screen.findByRole('region', { name: 'Who was in which arm' }));
  expect(arms.getByText(/one of its arms is dealt, by Qualtrics’ own number of the node/)).toBeVisible();
  expect(arms.getByText('the nearest is fee')).toBeVisible();
  expect(arms.getByText(/says the same arm for 1 of 2/)).toBeVisible();
  expect(arms.getByText(/the file has no column that says its arms; the nearest column is/)).toBeVisible();
  expect(arms.queryByLabelText('Column of orders')).toBeNull();
  await choose(user, 'Arm of FL_99', 'fee');
  const scoring = within(screen.getByRole('region', { name: 'How each question is scored' }));
  expect(scoring.getByText('1 low to 3 high')).toBeVisible();
  expect(scoring.getByText('words rise, codes do not: decide')).toBeVisible();
  expect(scoring.getByText(/1 to decide/)).toBeVisible();
  await user.click(scoring.getByLabelText('Choose fair'));
  await user.click(scoring.getByLabelText('Choose often'));
  expect(scoring.getByLabelText('Choose size')).toBeDisabled();
  const bulk = within(scoring.getByRole('group', { name: 'Score the chosen questions' }));
  await user.click(bulk.getByRole('button', { name: 'Numeric' }));
  expect(scoring.queryByText(/1 to decide/)).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Compare again' }));
  await waitFor(() => {
    expect(sent.at(-1)).toEqual([
      { fee_arm: { column: 'FL_7_DO', values: { FL_99: 'fee' } } },
      { fair: 'interval', often: 'interval' },
    ]);
  });
});

it('shows the effects of each random node, and why a node has none', async () => {
  const server = serve();
  const fees = { node: 'fee_arm', arms: compared.arms ?? null, reason: null };
  const few = 'twins have fewer than two of the arms that people have';
  server.post(CALL, () => ({
    ...undecided,
    arms: null,
    experiments: [{ node: 'empty', arms: null, reason: few }, fees],
  }));
  const user = await withFile();
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  expect(await screen.findByRole('heading', { name: /^Effects of arms, against control/ })).toBeVisible();
  expect(
    screen.getByText(/has no effects: the file has no column that says its arms/, { selector: 'p' }),
  ).toHaveTextContent('price has no effects');
  await choose(user, 'Random node', 'empty (no effects)');
  expect(screen.getByText(new RegExp(few), { selector: 'p' })).toHaveTextContent('empty has no effects');
  expect(screen.queryByRole('heading', { name: /^Effects of arms/ })).toBeNull();
});
