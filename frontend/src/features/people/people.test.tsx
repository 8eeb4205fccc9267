import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { intervalText } from '@/charts/evidence/figures';
import { CALL, compared, OWN, serve, withFile } from '@/testing/people';
import { choose, fill } from '@/testing/render';
import { refusal } from '@/testing/server';
import { holm } from '@/testing/summaries';
import { points, signed } from '@/ui/numbers';
import { marginsOf } from './margins';
import { fieldsOf, isEmpty, NO_CHOICES, rowsOf, withColumns, withRecode } from './matching';

it('sets twins beside people and tells how the file was read', async () => {
  const server = serve();
  const asked: (string | null)[] = [];
  server.post(CALL, ({ query }) => {
    asked.push(query.get('arm'), query.get('weight'));
    return compared;
  });
  const user = await withFile();
  await fill(user, screen.getByLabelText('Column of the arm'), 'fee_arm ');
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  expect(await screen.findByRole('status')).toHaveTextContent('3 people, 3 twins, 2 of them pairs');
  expect(asked).toEqual(['fee_arm', null]);
  const row = screen.getByRole('row', { name: /How fair is it\?/ });
  expect(row).toHaveTextContent('−0.50[−1.20, +0.20]');
  expect(row).toHaveTextContent('0.88n too small');
  expect(row).toHaveTextContent('2as 1.6');
  expect(row).toHaveTextContent('0.30[0.10, 0.50]');
  expect(row).toHaveTextContent('p = .012q = .012');
  const effects = screen.getByRole('row', { name: /^fair fee/ });
  expect(within(effects).getByText('No')).toBeVisible();
  const distributions = within(screen.getByRole('region', { name: 'Distributions of fair' }));
  expect(distributions.getByText(/1: low, 2: high/)).toBeVisible();
  const rectified = within(screen.getByRole('region', { name: 'Rectified estimates' }));
  const estimate = rectified.getByRole('row', { name: /What would you pay/ });
  expect(estimate).toHaveTextContent('120 / 1,938people as 98.4');
  expect(
    screen.getByText(/the people say as much as 2 who count the same.*1 weights were cut/),
  ).toBeVisible();
  expect(screen.getByText(/Twins stood in every arm and are compared with themselves/)).toBeVisible();
  expect(estimate).toHaveTextContent('10.20[9.40, 11.00]');
  expect(estimate).toHaveTextContent('The twins are worth 28 extra people.');
  const regression = screen.getByRole('row', { name: /Gender: Male/ });
  expect(regression).toHaveTextContent('40+0.50se 0.10+1.50se 0.20p < .001');
  expect(rectified.getByText('20 people are too few. (fair)')).toBeVisible();
  const warnings = within(screen.getByRole('region', { name: 'Diagnostics' }));
  expect(warnings.getByText('Too little spread')).toBeVisible();
  expect(warnings.getByText('fair', { exact: false, selector: 'li' })).toHaveTextContent(
    'fair: 0.45, threshold 0.80, n 40',
  );
  expect(warnings.queryByText('Stereotypes')).toBeNull();
  await user.click(screen.getByRole('button', { name: /How the file was read: 1 questions matched, 2 not/ }));
  for (const text of ['similar name', 'Why?', 'mood, price', 'email (personal)', '“violet” (1)'])
    expect(await screen.findByText(text)).toBeVisible();
});

it('adjusts p by a frozen plan, and says what of it is not applied', async () => {
  const words = 'Tests by the frozen plan: p by Holm. Not applied by the program: metric (medians).';
  const server = serve();
  server.post(CALL, () => ({ ...compared, rule: { ...holm, byPlan: true, words } }));
  const user = await withFile();
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  expect(await screen.findByRole('status')).toHaveTextContent(words);
  expect(screen.getByRole('columnheader', { name: 'p, adjusted p' })).toBeVisible();
  expect(screen.getByRole('row', { name: /How fair is it\?/ })).toHaveTextContent('p = .012p = .012');
});

it('sends weights of twins, probabilities and shares of the population', async () => {
  const server = serve();
  const sent: [query: string, margins: unknown][] = [];
  server.post(CALL, ({ query, body }) => {
    sent.push([query.toString(), field(body, 'margins')]);
    return compared;
  });
  const user = await withFile();
  await user.click(screen.getByRole('button', { name: /^Weights of twins/ }));
  const paste = async (into: HTMLElement, text: string) => {
    await user.clear(into);
    await user.click(into);
    await user.paste(text);
  };
  await paste(await screen.findByLabelText('Twins’ attribute of weights'), 'Weight');
  await paste(screen.getByLabelText('Column of drawing probabilities'), 'pi');
  const shares = screen.getByLabelText('Shares of the population');
  await paste(shares, 'Gender: half and half');
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  expect(await screen.findByText(/“Gender: half and half” is no line like/)).toBeVisible();
  await paste(shares, 'Gender: Female = 52 %; Male = 0.48');
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  await waitFor(() => {
    expect(sent).toEqual([['twinWeight=Weight&probability=pi', { Gender: { Female: 0.52, Male: 0.48 } }]]);
  });
});

it('shows what people answered to questions that the profiles hold', async () => {
  const server = serve();
  server.get(OWN, () => ({
    hasAnswers: true,
    people: 40,
    questions: compared.questions,
    notTaken: [
      { name: 'why', reason: 'the profile’s question has other options', profileQuestion: 'Why so?' },
    ],
  }));
  const user = await withFile();
  const own = within(await screen.findByRole('region', { name: 'Questions that the profiles hold' }));
  expect(own.getByText('40 people with their twins.')).toBeVisible();
  expect(own.getByRole('row', { name: /How fair is it\?/ })).toHaveTextContent('4.003.50');
  await user.click(own.getByRole('button', { name: /^1 more/ }));
  expect(await own.findByText(/other options \(“Why so\?”\)/)).toBeVisible();
});

it('reads an attribute a line with its shares', () => {
  expect(marginsOf('Age: 18-29 = 20 %; 30+ = 0.8\n\nA: b=1')).toEqual({
    Age: { '18-29': 0.2, '30+': 0.8 },
    A: { b: 1 },
  });
  expect(marginsOf('')).toEqual({});
  expect(marginsOf('Gender: Female')).toBe('Gender: Female');
  expect(marginsOf('Female = 1')).toBe('Female = 1');
});

it('says what is wrong with a file', async () => {
  serve().post(CALL, () => refusal(400, 'file: there is no column kilos'));
  const user = await withFile('people.sav', 'application/x-spss-sav');
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  expect(await screen.findByText(/^Failed to compare.*no column kilos/)).toBeVisible();
});

/** Returns a field of a form from the text of its body. */
const field = (body: unknown, name: string): unknown => {
  const part = String(body).split(`name="${name}"`)[1];
  return part === undefined ? undefined : JSON.parse(part.trim().split('\n')[0] ?? '');
};

it('sends the same file with another column and what its cells are', async () => {
  const server = serve();
  const bodies: string[] = [];
  server.post(CALL, ({ body }) => {
    bodies.push(String(body));
    return compared;
  });
  const user = await withFile();
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  await user.click(await screen.findByRole('button', { name: /How the file was read/ }));
  expect(field(bodies[0], 'matching')).toBeUndefined();
  await choose(user, '“violet” of fair', 'high');
  await choose(user, 'Column of cost', 'price');
  const cost = screen.getByRole('row', { name: /How much\?/ });
  expect(cost).toHaveTextContent('not compared yet');
  // A column is one question's.
  await user.click(screen.getByRole('combobox', { name: 'Column of why' }));
  const taken = await screen.findAllByText('Fair (of fair)', {
    selector: '.ant-select-item-option-disabled *',
  });
  expect(taken.at(-1)).toBeVisible();
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Compare again' }));
  await waitFor(() => {
    expect(bodies).toHaveLength(2);
  });
  expect(bodies[1]).toContain('pid,Fair\na,4');
  expect(field(bodies[1], 'matching')).toEqual({ cost: 'price' });
  expect(field(bodies[1], 'recodes')).toEqual({ fair: { violet: 'high' } });
  await user.click(screen.getByRole('button', { name: 'Match automatically' }));
  await waitFor(() => {
    expect(bodies).toHaveLength(3);
  });
  expect(field(bodies[2], 'recodes')).toBeUndefined();
});

it('a refused choice leaves the comparison, so that it can be changed', async () => {
  const server = serve();
  server.post(CALL, () => compared);
  const user = await withFile();
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  await user.click(await screen.findByRole('button', { name: /How the file was read/ }));
  server.post(CALL, () => refusal(400, 'matching.fair: there is no column X'));
  await user.click(screen.getByRole('button', { name: 'Compare again' }));
  expect(await screen.findByText(/^Failed to compare.*no column X/)).toBeVisible();
  expect(screen.getByRole('combobox', { name: 'Column of fair' })).toBeVisible();
});

it('rows say what was chosen, and show no more than twenty cells', () => {
  const unread = Array.from({ length: 30 }, (_, place) => ({
    name: 'fair',
    cell: `c${place}`,
    count: place + 1,
  }));
  const file = { ...compared.file, unread };
  const [fair] = rowsOf(file, withRecode(NO_CHOICES, 'fair', 'once', null));
  expect(fair?.cells).toHaveLength(20);
  expect(fair?.cells.slice(0, 2)).toEqual([
    { cell: 'once', count: null, answer: null },
    { cell: 'c29', count: 30, answer: undefined },
  ]);
  expect(fair?.more).toBe(11);
  const other = withColumns(withRecode(NO_CHOICES, 'fair', 'c1', 'low'), 'fair', ['mood']);
  // The cells of another column are others.
  expect(other.recodes).toEqual({});
  const [changed] = rowsOf(file, other);
  expect([changed?.columns, changed?.how, changed?.cells]).toEqual([['mood'], 'not compared yet', []]);
  expect(fieldsOf(withColumns(other, 'why', []))).toEqual([['matching', '{"fair":"mood","why":null}']]);
  expect(fieldsOf(withColumns(NO_CHOICES, 'why', ['x', 'y']))).toEqual([['matching', '{"why":["x","y"]}']]);
  expect(isEmpty(withRecode(withRecode(NO_CHOICES, 'fair', 'a', 'low'), 'fair', 'a', undefined))).toBe(true);
});

it('a figure says its interval, or why it has none', () => {
  expect(intervalText({ value: 0.75, n: 200, low: 0.7, high: 0.8 })).toBe('[0.70, 0.80]');
  expect(intervalText({ value: 0.75, n: 3, low: null, high: null, note: 'n too small' })).toBe('n too small');
  expect([signed(-0.5), points(0.125)]).toEqual(['−0.50', '+12.5']);
});
