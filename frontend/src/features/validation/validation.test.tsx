import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { Simulation } from '@/api/types';
import type { Trust, Validation } from '@/api/validation';
import { pass, stopClock, until } from '@/testing/clock';
import {
  config,
  factsOf,
  group,
  price as priceOfRun,
  question,
  run,
  settings,
  survey,
} from '@/testing/fixtures';
import { shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';
import { offer, overlap, validation } from '@/testing/validation';

const OFFER = '/api/personas/validation';
const VALIDATE = '/api/personas/sets/{setId}/validation';
const RUN = `/simulation-responses/3/${run.simulationId}?tab=trust`;

let server: ReturnType<typeof mockServer>;

const arm = (personaVariant: Simulation['parameters']['personaVariant']): Simulation => ({
  ...run,
  simulationId: `run of ${personaVariant}`,
  parameters: { ...run.parameters, personaVariant },
});
const study = {
  studyId: validation.studyId,
  name: 'Validation',
  isValidation: true,
  created_at: run.created_at,
  status: 'COMPLETED' as const,
  runs: [arm('demographics'), arm('empty')].map((each) => ({ ...each, successfulRequests: 0 })),
  totalRequests: 20,
  successfulRequests: 0,
  failedRequests: 0,
  skippedRequests: 0,
};
const short = {
  code: 'insufficient_credits' as const,
  message: 'This validation needs more credits than you have in this group.',
  detail: 'They pay for 2 digital twins.',
};
const price = (available: number) => ({
  ...priceOfRun,
  runs: [
    { ...priceOfRun, credits: 2400, parameters: arm('summary').parameters },
    { ...priceOfRun, credits: 2400, parameters: arm('empty').parameters },
  ],
  credits: 4800,
  available,
  remaining: available - 4800,
  warnings: available < 4800 ? [short] : [],
});

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/auth/settings', () => settings);
  server.get('/api/simulations', () => [run]);
  server.get('/api/surveys/my', () => [survey]);
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [] }));
  server.get('/api/surveys/{surveyId}/questions', () => [question]);
  server.get('/api/simulations/{simulationId}', () => factsOf(run));
  signInAs('user');
});

const prices = () => server.calls.filter(({ query }) => query.get('price') === 'true');
const sent = () => server.calls.filter((call) => call.method === 'post' && !call.query.has('price'));

it('a validation is offered, priced and started', async () => {
  server.get(OFFER, () => offer);
  server.post(VALIDATE, ({ query }) => (query.has('price') ? price(5000) : study));
  server.get('/api/studies/{studyId}', () => study);
  server.get('/api/studies/{studyId}/validation', () => validation);
  const { user, path } = visit('/validation?items=quick&variant=summary&model=twinlab-demo');
  expect(await screen.findByRole('heading', { name: '5 tasks' })).toBeVisible();
  expect(screen.getByText('85, quick 24')).toBeVisible();
  expect(screen.getByRole('checkbox', { name: /^Waves 1-3/ })).toBeDisabled();
  expect(screen.getByRole('checkbox', { name: /^Summary/ })).toBeChecked();
  expect(screen.getByRole('radio', { name: /^Quick/ })).toBeChecked();
  await user.click(screen.getByRole('checkbox', { name: /^Empty/ }));
  const button = screen.getByRole('button', { name: 'Validate' });
  expect(button).toBeDisabled();
  await waitFor(() => expect(button).toBeEnabled());
  expect(screen.getByText('Credits needed, 2 runs').nextElementSibling).toHaveTextContent('4,800');
  await user.click(button);
  await waitFor(() => expect(path()).toBe(`/studies/${validation.studyId}`));
  expect(sent()).toHaveLength(1);
  expect(sent()[0]).toMatchObject({
    path: '/api/personas/sets/2/validation',
    body: {
      groupId: 4,
      personaCount: 100,
      variants: ['wave1_3', 'summary'],
      items: 'quick',
      repeats: 1,
      model: 'twinlab-demo',
    },
  });
  expect(prices().at(-1)?.body).toEqual(sent()[0]?.body);
});

it('what credits do not pay for is not started', async () => {
  server.get(OFFER, () => offer);
  server.post(VALIDATE, () => price(100));
  visit('/validation');
  expect(
    await screen.findByText('This validation needs more credits than you have in this group.'),
  ).toBeVisible();
  expect(screen.getByRole('button', { name: 'Validate' })).toBeDisabled();
});

it('twins that cannot be validated say why, and have no form', async () => {
  const refused = 'These twins have no answers that were held out.';
  server.get(OFFER, () => ({ ...offer, headline: null, refusal: refused, tasks: [], variants: [] }));
  visit('/validation');
  expect(await screen.findByText(refused)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Validate' })).not.toBeInTheDocument();
});

it('without twins there is nothing to validate', async () => {
  server.get(OFFER, () => refusal(404, 'Persona not found'));
  visit('/validation');
  expect(await screen.findByRole('heading', { name: 'There are no digital twins' })).toBeVisible();
});

it('a run shows the validation of its twins, with its own profile in it', async () => {
  const trust: Trust = { validation, arm: 'summary', canOpen: true };
  server.get('/api/simulations/{simulationId}/trust', () => trust);
  visit(RUN);
  const table = await screen.findByRole('table', { name: /^Accuracy and the like/ });
  expect(within(table).getByRole('row', { name: /^Summary this run’s profile/ })).toBeVisible();
  expect(screen.getByRole('link', { name: 'Open the validation' })).toHaveAttribute(
    'href',
    `/studies/${validation.studyId}`,
  );
  expect(screen.queryByRole('link', { name: 'Validate again' })).not.toBeInTheDocument();
  expect(screen.getByRole('img', { name: 'Accuracy by task' })).toBeVisible();
});

it('a run of twins that nobody validated says what it would cost, and leads there', async () => {
  const trust: Trust = {
    canOpen: false,
    offer: { setId: 2, people: 2058, credits: 18_600, quickCredits: 7200 },
  };
  server.get('/api/simulations/{simulationId}/trust', () => trust);
  visit(RUN);
  const card = within(await screen.findByRole('region', { name: 'Not validated' }));
  expect(card.getByText('18,600 credits at most')).toBeVisible();
  expect(card.getByText('7,200 credits at most')).toBeVisible();
  expect(card.getByRole('link', { name: 'Validate' })).toHaveAttribute(
    'href',
    '/validation?variant=summary&model=twinlab-demo',
  );
  expect(card.getByRole('link', { name: 'Quick' })).toHaveAttribute(
    'href',
    '/validation?items=quick&variant=summary&model=twinlab-demo',
  );
});

it('a run of twins that cannot be validated says why', async () => {
  const trust: Trust = { canOpen: false, why: 'The twins of this run are not the current ones any more.' };
  server.get('/api/simulations/{simulationId}/trust', () => trust);
  visit(RUN);
  expect(await screen.findByText(/^Cannot be validated: The twins of this run/)).toBeVisible();
  expect(screen.queryByRole('link', { name: 'Validate' })).not.toBeInTheDocument();
});

it('the study of a validation is counted anew until it is finished', async () => {
  stopClock();
  const arms = validation.arms.map((each) => ({ ...each, verdicts: [] }));
  let found: Validation = { ...validation, arms, finished: false };
  server.get('/api/studies/{studyId}', () => study);
  server.get('/api/studies/{studyId}/validation', () => found);
  visit(`/studies/${validation.studyId}`);
  await until(() => screen.queryByText('So far') !== null);
  const counted = () => server.calls.filter(({ path }) => path.endsWith('/validation')).length;
  expect(screen.queryByText('Do not use individual answers.')).not.toBeInTheDocument();
  found = validation;
  await pass(5);
  await until(() => screen.queryByText('So far') === null);
  expect(screen.getByText('Do not use individual answers.')).toBeVisible();
  const before = counted();
  await pass(20);
  expect(counted()).toBe(before);
});

it('repeats of a finished validation are forecasts of what people answered', async () => {
  const figure = { value: 0.31, n: 40, low: 0.25, high: 0.37, note: null };
  const scores = {
    brier: figure,
    logLoss: figure,
    rankedProbability: null,
    expectedCalibrationError: figure,
    brierOfShares: { ...figure, value: 0.5 },
    gain: { ...figure, value: 0.19, low: 0.02, high: 0.3 },
  };
  const bin = {
    low: 0.7,
    high: 0.8,
    n: 12,
    forecast: 0.75,
    observed: 0.5,
    observedLow: 0.25,
    observedHigh: 0.75,
  };
  const empty = {
    low: 0.8,
    high: 0.9,
    n: 0,
    forecast: null,
    observed: null,
    observedLow: null,
    observedHigh: null,
  };
  server.get('/api/studies/{studyId}', () => study);
  server.get('/api/studies/{studyId}/validation', () => ({
    ...validation,
    repeats: { twins: 100, repeats: 2, identical: 0.9, icc: 0.9, repeatsFor90: 1 },
  }));
  server.get('/api/studies/{studyId}/calibration', () => ({
    headline: 'summary',
    calibration: {
      people: 40,
      repeats: 2,
      draws: 2000,
      all: scores,
      options: [bin, empty],
      likeliest: [empty],
      questions: [{ name: 'S1', text: 'Which plan?', ...scores }],
      numbers: [{ name: 'S2', text: 'How many?', crps: figure, crpsOfPeople: figure, spread: null }],
      verdict: 'better' as const,
    },
  }));
  visit(`/studies/${validation.studyId}`);
  const forecasts = within(await screen.findByRole('region', { name: 'Calibration' }));
  expect(forecasts.getByText(/40 people whose twin answered in all 2 repeats/)).toHaveTextContent(
    'Brier score 0.310 [0.250, 0.370], where the people’s own shares would reach 0.500',
  );
  expect(forecasts.getByRole('row', { name: /70 and 80 %/ })).toHaveTextContent(
    '1275.0 %50.0 %[25.0 %, 75.0 %]',
  );
  expect(forecasts.getByText(/the twins know more than these shares/)).toBeVisible();
  expect(forecasts.getByRole('row', { name: /How many\?/ })).toHaveTextContent('–');
  expect(forecasts.queryByRole('row', { name: /80 and 90 %/ })).not.toBeInTheDocument();
  expect(forecasts.getByRole('row', { name: /Which plan\?/ })).toHaveTextContent('–');
});

it('a start says which questions the profiles hold', async () => {
  const similar = { ...overlap, question: 'mood', same: false, containment: 0.31 };
  server.get('/api/surveys/{surveyId}/leaks', () => [overlap, similar]);
  server.get('/api/surveys/{surveyId}/simulation-config', () => config);
  const { user } = visit('/survey-builder');
  await user.click(await screen.findByRole('button', { name: 'Start Simulation' }));
  const dialog = within(await shownDialog());
  const items = await dialog.findAllByRole('listitem');
  expect(items.map(({ textContent }) => textContent)).toEqual([
    'drink: The profile holds this person’s answer (84 % of the text): “What do you usually drink?”',
    'mood: Similar to a question of the profile (31 % of the text): “What do you usually drink?”',
  ]);
});
