import { render, screen, waitFor, within } from '@testing-library/react';
import { App } from 'antd';
import { MemoryRouter } from 'react-router';
import { SWRConfig } from 'swr';
import { expect, it } from 'vitest';
import type { components } from '@/api/schema';
import type { Compared } from '@/api/types';
import { intervalText } from '@/charts/evidence/figures';
import { run, survey } from '@/testing/fixtures';
import { choose, fill, newUser, signInAs, Unstyled } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';
import { date } from '@/ui/format';
import { points, signed } from '@/ui/numbers';
import { marginsOf, marginsText, sharesOf } from './margins';
import { fieldsOf, isEmpty, NO_CHOICES, rowsOf, withColumns, withRecode } from './matching';
import People from './People';
import type { HumanSample } from './SampleChoice';

const CALL = '/api/surveys/{surveyId}/simulation/{simulationId}/people';
const OWN = '/api/surveys/{surveyId}/simulation/{simulationId}/own-answers';

const compared: Compared = {
  people: 3,
  twins: 3,
  pairs: 2,
  paired: true,
  level: 0.95,
  draws: 2000,
  seed: 1,
  family: 1,
  questions: [
    {
      name: 'fair',
      text: 'How fair is it?',
      nPeople: 2,
      nTwins: 2,
      nEffective: 1.6,
      meanPeople: 4,
      meanTwins: 3.5,
      difference: -0.5,
      low: -1.2,
      high: 0.2,
      equivalent: false,
      p: 0.012,
      q: 0.012,
      metrics: [
        { metric: 'accuracy', value: 0.875, n: 2, note: 'n too small' },
        { metric: 'r', value: 0.3, n: 2, low: 0.1, high: 0.5 },
      ],
      options: [],
      ecdf: [
        { value: 1, people: 0.5, twins: 0 },
        { value: 2, people: 1, twins: 1 },
      ],
    },
  ],
  overall: { accuracy: { value: 0.875, n: 2, note: 'n too small' } },
  arms: {
    reference: 'control',
    twinsInAllArms: true,
    agreement: {
      effects: 1,
      sameSign: 0,
      peopleHoldTwins: 0,
      significant: { both: 0, bothSameSign: 0, peopleOnly: 1, twinsOnly: 0, neither: 0 },
      sensitivity: { value: 0, low: 0, high: 0.79, n: 1 },
      r: null,
      slope: null,
    },
    effects: [
      {
        item: 'fair',
        arm: 'fee',
        people: { difference: 0.4, low: 0.1, high: 0.7, d: 0.3, p: 0.01 },
        twins: { difference: -0.1, low: -0.3, high: 0.1, d: -0.1, p: 0.4 },
        sameSign: false,
        sameSignificance: false,
        gap: { difference: -0.5, low: -0.9, high: -0.1 },
        peopleHoldTwins: false,
        qPeople: 0.01,
        qTwins: 0.4,
      },
    ],
  },
  groups: [],
  file: {
    questions: [
      { name: 'fair', text: 'How fair is it?', options: ['low', 'high'], hasSeveralAnswers: false },
      { name: 'why', text: 'Why?', options: ['a', 'b'], hasSeveralAnswers: true },
      { name: 'cost', text: 'How much?', options: [], hasSeveralAnswers: false },
    ],
    columns: ['Fair', 'mood', 'price'],
    matched: [{ name: 'fair', columns: ['Fair'], by: 'similar_name' }],
    unmatchedQuestions: ['why', 'cost'],
    unmatchedColumns: ['mood', 'price'],
    dropped: [{ column: 'email', reason: 'personal' }],
    unread: [{ name: 'fair', cell: 'violet', count: 1 }],
  },
  rectified: {
    pairing: 'id',
    drawn: false,
    twinsInAllArms: false,
    refusal: null,
    reference: null,
    estimates: [
      {
        name: 'pay',
        text: 'What would you pay?',
        category: null,
        arm: null,
        n: 120,
        others: 1938,
        people: { estimate: 10, low: 9, high: 11 },
        twins: { estimate: 12, low: 11.9, high: 12.1 },
        rectified: { estimate: 10.2, low: 9.4, high: 11 },
        lambda: 0.4,
        rho: 0.5,
        widthRatio: 0.9,
        nEffective: 148,
        nPlanned: 150,
        nWeighted: 98.4,
        sentence: 'The twins are worth 28 extra people.',
        note: null,
      },
    ],
    refused: [{ name: 'fair', reason: '20 people are too few' }],
    assumption: 'The people asked are a random sample of those whom the twins stand for.',
  },
  regressions: [
    {
      name: 'fair',
      text: 'How fair is it?',
      pairs: 40,
      differ: 1,
      flipSign: 0,
      terms: [
        { term: 'Gender: Male', people: 0.5, peopleError: 0.1, twins: 1.5, twinsError: 0.2, p: 0.0001 },
      ],
    },
  ],
  diagnostics: [
    {
      diagnostic: 'spread',
      verdict: 'warning',
      reason: null,
      measure: 'spread of twins over that of people',
      advice: 'Do not use spreads of the twins.',
      findings: [{ of: 'fair', value: 0.45, threshold: 0.8, n: 40, warns: true }],
    },
    {
      diagnostic: 'stereotyping',
      verdict: 'not_applicable',
      reason: 'needs an attribute',
      measure: 'variance',
      advice: 'None.',
      findings: [],
    },
  ],
  weights: { people: 2.4, twins: null, trimmed: 1 },
  notice: '',
};

/** Profiles that hold nothing of the survey, which belongs to somebody else. */
function serve() {
  const server = mockServer();
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, userId: 2, questions: [] }));
  server.get(OWN, () => ({ hasAnswers: false, people: 0, questions: [], notTaken: [] }));
  return server;
}

/** The tab. What an earlier test asked does not stand in for what this one asks. */
const Tab = () => (
  <SWRConfig value={{ dedupingInterval: 0 }}>
    <Unstyled>
      <MemoryRouter>
        <App>
          <People run={run} />
        </App>
      </MemoryRouter>
    </Unstyled>
  </SWRConfig>
);

/** The tab, with a file chosen. */
async function withFile(name = 'people.csv', type = 'text/csv') {
  signInAs('user');
  const user = newUser();
  render(<Tab />);
  expect(screen.getByRole('button', { name: 'Compare' })).toBeDisabled();
  const input = document.querySelector('input[type=file]');
  if (!(input instanceof HTMLInputElement)) throw new Error('there is no input for files');
  await user.upload(input, new File(['pid,Fair\na,4\n'], name, { type }));
  expect(await screen.findByRole('button', { name })).toBeVisible();
  return user;
}

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

const SAMPLES = '/api/surveys/{surveyId}/human-samples';
const SAMPLE = '/api/human-samples/{sampleId}';

const sample: HumanSample = {
  sampleId: 'may',
  surveyId: run.surveyId,
  name: 'Panel, May',
  people: 3,
  createdAt: '2026-05-01T10:00:00Z',
  updatedAt: '2026-05-01T10:00:00Z',
  createdBy: null,
  matchedQuestions: ['fair'],
  dropped: [],
  isOwner: true,
};

const settings: components['schemas']['ComparisonOptions'] = {
  arm: 'fee_arm',
  weight: null,
  twinWeight: null,
  probability: null,
  by: null,
  cells: [],
  cellShares: null,
  regress: [],
  margins: { Gender: { Female: 0.52, Male: 0.48 } },
  matching: { cost: ['price'] },
  recodes: {},
};

/** A survey with these samples, of which the newest is the first. */
function serveKept(samples: HumanSample[]) {
  const server = serve();
  const asked: string[] = [];
  server.get(SAMPLES, () => samples);
  server.get(CALL, ({ query }) => {
    const sampleId = query.get('sample') ?? '';
    asked.push(sampleId);
    const found = samples.find((each) => each.sampleId === sampleId) ?? sample;
    return { sample: found, suppressed: !found.isOwner, comparison: compared };
  });
  server.get(SAMPLE, () => ({ ...sample, settings, file: compared.file }));
  return { server, asked };
}

function show() {
  signInAs('user');
  render(<Tab />);
  return newUser();
}

it('compares the newest kept sample at once, and another that is chosen', async () => {
  const { asked } = serveKept([sample, { ...sample, sampleId: 'april', name: 'Panel, April' }]);
  const user = show();
  expect(await screen.findByText(/3 people, 3 twins/)).toBeVisible();
  expect(asked).toEqual(['may']);
  await choose(user, 'People of this survey', `Panel, April: 3 people, ${date(sample.createdAt)}`);
  await waitFor(() => {
    expect(asked).toEqual(['may', 'april']);
  });
});

it('changes the matching of a kept sample where it is kept', async () => {
  const { server, asked } = serveKept([sample]);
  const sent: unknown[] = [];
  server.patch(SAMPLE, ({ body }) => {
    sent.push(body);
    return { ...sample, settings, file: compared.file };
  });
  const user = show();
  await user.click(await screen.findByRole('button', { name: /How the file was read/ }));
  await choose(user, '“violet” of fair', 'high');
  await user.click(screen.getByRole('button', { name: 'Compare again' }));
  await waitFor(() => {
    expect(sent).toEqual([{ matching: { cost: 'price' }, recodes: { fair: { violet: 'high' } } }]);
  });
  await waitFor(() => {
    expect(asked).toEqual(['may', 'may']);
  });
  await user.click(screen.getByRole('button', { name: 'Arm, weights and groups' }));
  const groups = await screen.findAllByLabelText('Column of groups');
  await user.type(groups.at(-1) as HTMLElement, 'mood');
  await user.click(screen.getByRole('button', { name: 'Compare so' }));
  await waitFor(() => {
    expect(sent[1]).toMatchObject({ arm: 'fee_arm', by: 'mood', margins: settings.margins });
  });
});

it('types shares of cells, and says which line is none', async () => {
  expect(sharesOf({ margins: '', cells: 'Female·18-29 = 11 %\n\nMale · 18-29 = .89' })).toEqual({
    margins: {},
    cellShares: { 'Female · 18-29': 0.11, 'Male · 18-29': 0.89 },
  });
  const { server } = serveKept([sample]);
  const sent: unknown[] = [];
  server.get(SAMPLE, () => ({
    ...sample,
    settings: { ...settings, cells: ['Gender', 'Age'], cellShares: { 'Female · 18-29': 1 } },
    file: compared.file,
  }));
  server.patch(SAMPLE, ({ body }) => {
    sent.push(body);
    return { ...sample, settings, file: compared.file };
  });
  const user = show();
  await user.click(await screen.findByRole('button', { name: /How the file was read/ }));
  await user.click(await screen.findByRole('button', { name: 'Arm, weights and groups' }));
  const more = screen.getAllByRole('button', { name: /shares of the population/ });
  await user.click(more.at(-1) as HTMLElement);
  const fields = await screen.findAllByLabelText('Shares of the cells');
  const field = fields.at(-1) as HTMLElement;
  expect(field).toHaveValue('Female · 18-29 = 1');
  await user.clear(field);
  await fill(user, field, 'a tenth');
  await user.click(screen.getByRole('button', { name: 'Compare so' }));
  expect(await screen.findByText(/“a tenth” is no line like “Female · 18-29 = 11 %”/)).toBeVisible();
  expect(sent).toEqual([]);
  await user.clear(field);
  await user.type(field, 'Female · 18-29 = 40 %{enter}Male · 18-29 = 60 %');
  await user.click(screen.getByRole('button', { name: 'Compare so' }));
  await waitFor(() => {
    expect(sent).toEqual([
      expect.objectContaining({
        cells: ['Gender', 'Age'],
        cellShares: { 'Female · 18-29': 0.4, 'Male · 18-29': 0.6 },
        margins: marginsOf(marginsText(settings.margins)),
      }),
    ]);
  });
});

it('names a kept sample anew', async () => {
  const samples = [sample];
  const { server } = serveKept(samples);
  server.patch(SAMPLE, ({ body }) => {
    samples[0] = { ...sample, ...(body as object) };
    return { ...sample, settings, file: compared.file };
  });
  const user = show();
  await user.click(await screen.findByRole('button', { name: 'Rename…' }));
  const dialog = within(await screen.findByRole('dialog'));
  const name = dialog.getByLabelText('Name');
  expect(name).toHaveValue(sample.name);
  await user.clear(name);
  await user.click(dialog.getByRole('button', { name: 'Rename' }));
  expect(await dialog.findByText('Give it a name')).toBeVisible();
  await fill(user, name, ' Panel, June ');
  await user.click(dialog.getByRole('button', { name: 'Rename' }));
  expect(await screen.findByText(/^Panel, June: 3 people/)).toBeVisible();
});

it('deletes a kept sample once that is confirmed', async () => {
  const samples = [sample];
  const { server } = serveKept(samples);
  server.delete(SAMPLE, () => {
    samples.length = 0;
    return undefined as never;
  });
  const user = show();
  await user.click(await screen.findByRole('button', { name: 'Delete…' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(/for all runs of the survey/)).toBeVisible();
  await user.click(dialog.getByRole('button', { name: 'Delete' }));
  await waitFor(() => {
    expect(screen.queryByText(/3 people, 3 twins/)).toBeNull();
  });
});

it('shows others what is kept, and nothing to change', async () => {
  serveKept([{ ...sample, isOwner: false }]);
  const user = show();
  expect(await screen.findByText(/What tells of fewer than 5 people is left out/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Delete…' })).toBeNull();
  await user.click(screen.getByRole('button', { name: /How the file was read/ }));
  expect(screen.queryByRole('button', { name: 'Compare again' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Compare with another file' }));
  expect(await screen.findByRole('button', { name: 'Compare' })).toBeDisabled();
  expect(screen.queryByRole('checkbox', { name: 'Keep for this survey' })).toBeNull();
});

it('keeps a file for the survey unless somebody says otherwise', async () => {
  const samples: HumanSample[] = [];
  const { server, asked } = serveKept(samples);
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [] }));
  const kept: (string | null)[] = [];
  server.post(SAMPLES, ({ query, body }) => {
    kept.push(query.get('arm'), String(body).includes('name="name"') ? 'named' : null);
    samples.push(sample);
    return { ...sample, settings, file: compared.file };
  });
  const forgotten: string[] = [];
  server.post(CALL, ({ body }) => {
    forgotten.push(String(body));
    return compared;
  });
  const user = await withFile();
  const keep = await screen.findByRole('checkbox', { name: 'Keep for this survey' });
  expect(keep).toBeChecked();
  await user.click(keep);
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  expect(await screen.findByText(/3 people, 3 twins/)).toBeVisible();
  expect([forgotten.length, kept, asked]).toEqual([1, [], []]);
  await user.click(keep);
  await fill(user, screen.getByLabelText('Column of the arm'), 'fee_arm');
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  await waitFor(() => {
    expect(asked).toEqual(['may']);
  });
  expect([forgotten.length, kept]).toEqual([1, ['fee_arm', 'named']]);
});
