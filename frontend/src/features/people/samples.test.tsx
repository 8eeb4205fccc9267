import { render, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { components } from '@/api/schema';
import { run, survey } from '@/testing/fixtures';
import { CALL, compared, serve, Tab, withFile } from '@/testing/people';
import { choose, fill, newUser, signInAs } from '@/testing/render';
import { date } from '@/ui/format';
import { marginsOf, marginsText, sharesOf } from './margins';
import type { HumanSample } from './SampleChoice';

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
  adjust: [],
  outcomes: {},
  formulas: {},
  margins: { Gender: { Female: 0.52, Male: 0.48 } },
  matching: { cost: ['price'] },
  recodes: {},
  arms: {},
  scales: {},
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
    expect(sent).toEqual([
      { matching: { cost: 'price' }, recodes: { fair: { violet: 'high' } }, arms: {}, scales: {} },
    ]);
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
  expect(
    sharesOf({
      margins: '',
      cells: 'Female·18-29 = 11 %\n\nMale · 18-29 = .89',
      formulas: 'trust = mean(honest, reverse(greedy))\nsame = is(travel, "A = B")',
    }),
  ).toEqual({
    margins: {},
    cellShares: { 'Female · 18-29': 0.11, 'Male · 18-29': 0.89 },
    formulas: { trust: 'mean(honest, reverse(greedy))', same: 'is(travel, "A = B")' },
  });
  expect(sharesOf({ margins: '', cells: '', formulas: 'mean(honest)' })).toBe(
    'Outcomes: “mean(honest)” is no line like “trust = mean(honest, reverse(greedy))”',
  );
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
  // The form draws the message anew while it appears.
  await waitFor(() => {
    expect(dialog.getByText('Give it a name')).toBeVisible();
  });
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
