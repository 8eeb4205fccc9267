import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { documentOf, draftOf, type PlanDocument, type StudyPlan } from '@/runs/plan/form';
import { dataWords, fieldWords, sections } from '@/runs/plan/words';
import { group, survey } from '@/testing/fixtures';
import { stopClock, until } from '@/testing/clock';
import { fill, shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';
import { withName } from './NamesNotFound';

const PLAN = '6a5b4c3d-0000-4000-8000-000000000006';

const document: PlanDocument = {
  title: 'Do fees seem fair?',
  authors: 'A. Author',
  mainQuestion: '',
  hypotheses: ['A resort fee seems less fair.', 'Nobody pays more.'],
  dependentVariables: '',
  conditions: '',
  analyses: '',
  exclusions: '',
  sampleSize: '',
  other: '',
  primaryItems: ['fair'],
  contrasts: [{ of: 'fee_arm', a: 'resort', b: 'service' }],
  choices: { metric: '', multiplicity: 'holm', family: '', weights: '', alpha: 0.01 },
  run: {
    personaCount: 200,
    seed: 5,
    temperature: null,
    models: [],
    variants: ['summary', 'empty'],
    repeats: 2,
    everyArm: true,
    orders: ['as_written', 'reversed'],
  },
  blind: true,
};

const draft: StudyPlan = {
  planId: PLAN,
  surveyId: 3,
  studyId: null,
  document,
  createdAt: '2026-11-26T09:00:00Z',
  updatedAt: '2026-11-26T09:00:00Z',
  lookedAt: null,
  hidden: false,
  frozen: null,
  link: null,
  isOwner: true,
  deviations: [],
};

const frozen: StudyPlan = {
  ...draft,
  frozen: {
    frozenAt: '2026-11-26T10:00:00Z',
    sha256: 'ab'.repeat(32),
    dataBefore: { answers: 0, earlierRuns: 1, seen: false },
  },
  deviations: [
    {
      id: 7,
      at: '2026-11-26T11:00:00Z',
      who: 'Ada',
      field: 'run: personaCount',
      before: '200',
      after: '150',
      reason: null,
      reasonAt: null,
    },
  ],
};

describe('the form of a plan', () => {
  it('keeps what it is given', () => {
    expect(documentOf(draftOf(document))).toEqual(document);
  });

  it('keeps how calls are made, where that is planned', () => {
    const run = {
      ...document.run,
      questionsPerCall: 5,
      callScope: 'block' as const,
      shuffleOptions: false,
      memory: 'none' as const,
    };
    const planned = { ...document, run };
    expect(documentOf(draftOf(planned))).toEqual(planned);
    const shown = sections(planned).flatMap(({ facts }) => facts);
    for (const fact of [
      'Questions per call: 5',
      'Questions in one call: those of one block',
      'Order of options: not shuffled',
      'Context of later calls: nothing',
    ])
      expect(shown).toContain(fact);
  });

  it('leaves out empty lines and contrasts that are not complete', () => {
    const typed = {
      ...draftOf(document),
      hypotheses: ' One \n\n Two\n',
      contrasts: [{ of: 'variant', a: ' summary ' }, { of: 'model', a: 'm-1', b: 'm-2 ' }, {}],
    };
    const { hypotheses, contrasts } = documentOf(typed);
    expect(hypotheses).toEqual(['One', 'Two']);
    expect(contrasts).toEqual([{ of: 'model', a: 'm-1', b: 'm-2' }]);
  });
});

it('a name takes the place of one that is gone, where the draft says it', () => {
  const saved: PlanDocument = { ...document, contrasts: [{ of: 'fee_arm', a: 'resort', b: 'service' }] };
  const typed = {
    ...draftOf(saved),
    primaryItems: ['fair', 'fairness', 'pay'],
    contrasts: [
      { of: 'model', a: 'resort' },
      { of: 'fee_arm ', a: 'resort', b: 'service' },
    ],
  };
  const of = (field: string, name: string) => ({ field, name, nearest: null });
  expect(withName(typed, saved, of('primaryItems', 'fair'), 'fairness').primaryItems).toEqual([
    'fairness',
    'pay',
  ]);
  expect(withName(typed, saved, of('contrasts[0].a', 'resort'), 'hotel').contrasts).toEqual([
    { of: 'model', a: 'resort' },
    { of: 'fee_arm ', a: 'hotel', b: 'service' },
  ]);
  expect(withName(typed, saved, of('contrasts[0].of', 'fee_arm'), 'fee_kind').contrasts[1]?.of).toBe(
    'fee_kind',
  );
});

it('a plan is described in words', () => {
  const facts = sections(document).flatMap((section) => section.facts);
  expect(facts).toContain('Primary contrast, fee_arm: resort against service');
  expect(facts).toContain('Several tests: Holm; family: not stated');
  const choices = { multiplicity: 'holm' as const, family: 'both items', weights: 'none', alpha: 0.05 };
  const stated = sections({ ...document, choices }).flatMap((section) => section.facts);
  expect(stated).toContain('Several tests: Holm; family: both items (not applied by the program)');
  expect(stated).toContain('Weights: none');
  expect(facts).toContain('Profile texts: Summary, Empty');
  expect(fieldWords({ field: 'question fair: text' })).toBe('Question fair: text');
  expect(fieldWords({ field: 'run: personaCount' })).toBe('Digital twins');
  expect(dataWords({ answers: 12, earlierRuns: 0, seen: true })).toBe(
    'The study had 12 answers then, which could be seen.',
  );
});

describe('the page of a plan', () => {
  let server: ReturnType<typeof mockServer>;

  beforeEach(() => {
    server = mockServer();
    server.get('/api/groups/my', () => [group]);
    server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: [] }));
    server.get('/api/surveys/{surveyId}/questions', () => []);
    server.get('/api/surveys/{surveyId}/simulation-config', () => refusal(404, 'none'));
    signInAs('user');
  });

  it('saves a draft before it is frozen, and says why it cannot be', async () => {
    server.get('/api/plans/{planId}', () => draft);
    server.put('/api/plans/{planId}', () => draft);
    server.post('/api/plans/{planId}/freeze', () => refusal(400, 'primaryItems: name a question'));
    const { user } = visit(`/study-plans/${PLAN}`);
    await user.click(await screen.findByRole('button', { name: 'Freeze…' }));
    await user.click(within(await shownDialog()).getByRole('button', { name: 'Freeze' }));
    expect(await screen.findByText('Failed to freeze the plan: name a question')).toBeVisible();
    const saved = server.calls.find(({ method }) => method === 'put');
    expect(saved?.body).toEqual(document);
  });

  it('names what the survey has no more, and takes the nearest name over', async () => {
    const document: PlanDocument = {
      ...draft.document,
      primaryItems: ['fair', 'pay'],
      contrasts: [{ of: 'fee_kind', a: 'resort', b: 'service' }],
    };
    const gone: StudyPlan = {
      ...draft,
      document,
      notFound: [
        { field: 'primaryItems', name: 'fair', nearest: 'fairness' },
        { field: 'contrasts[0].a', name: 'resort', nearest: 'resort fee' },
        { field: 'contrasts[0].b', name: 'service', nearest: null },
      ],
    };
    server.get('/api/plans/{planId}', () => gone);
    server.put('/api/plans/{planId}', ({ body }) => ({
      ...gone,
      document: body as PlanDocument,
      notFound: [],
    }));
    const { user } = visit(`/study-plans/${PLAN}`);
    expect(await screen.findByText(/^Contrast 1, second: “service”/)).toHaveTextContent(
      'Nothing there has a name like it.',
    );
    await user.click(screen.getByRole('button', { name: 'Use “resort fee” instead' }));
    await user.click(await screen.findByRole('button', { name: 'Save draft' }));
    await waitFor(() => {
      const saved = server.calls.filter(({ method }) => method === 'put').map(({ body }) => body);
      expect(saved[0]).toEqual({
        ...document,
        contrasts: [{ of: 'fee_kind', a: 'resort fee', b: 'service' }],
      });
    });
    await waitFor(() => expect(screen.queryByText(/^Names in this plan/)).toBeNull());
  });

  it('saves what was written when the typing rests, and when the page is left', async () => {
    server.get('/api/plans/{planId}', () => draft);
    server.put('/api/plans/{planId}', ({ body }) => ({ ...draft, document: body as PlanDocument }));
    server.get('/api/surveys/{surveyId}/plans', () => [draft]);
    const { user } = visit(`/study-plans/${PLAN}`);
    const title = await screen.findByLabelText('Title');
    await fill(user, title, ' Really?');
    expect(await screen.findByText(/^Saved \d\d:\d\d$/)).toBeVisible();
    await fill(user, title, ' Yes');
    await user.click(screen.getByRole('link', { name: 'Plans' }));
    await waitFor(() => {
      const saved = server.calls.filter(({ method }) => method === 'put').map(({ body }) => body);
      expect(saved).toEqual([
        { ...document, title: 'Do fees seem fair? Really?' },
        { ...document, title: 'Do fees seem fair? Really? Yes' },
      ]);
    });
  });

  it('tries again to save what the server could not, and shows what somebody else saved beside it', async () => {
    let stored = draft;
    let isAway = true;
    server.get('/api/plans/{planId}', () => stored);
    server.put('/api/plans/{planId}', ({ query, body }) => {
      if (isAway) return refusal(503, 'The database is away');
      if (query.get('expectedUpdatedAt') !== stored.updatedAt)
        return refusal(409, 'The plan was changed meanwhile', 'plan_changed');
      stored = { ...stored, document: body as PlanDocument, updatedAt: `${stored.updatedAt}+` };
      return stored;
    });
    visit(`/study-plans/${PLAN}`);
    const title = await screen.findByLabelText('Title');
    stopClock();
    const write = (text: string) => fireEvent.change(title, { target: { value: text } });
    const shows = (text: RegExp) => until(() => screen.queryByText(text) !== null);
    write('Mine');
    await shows(/Failed to save the plan: The database is away/);
    isAway = false;
    await until(() => stored.document.title === 'Mine');

    stored = { ...stored, document: { ...document, title: 'Theirs' }, updatedAt: 'later' };
    write('Mine too');
    await shows(/This plan was changed elsewhere/);
    expect(stored.document.title).toBe('Theirs');
    fireEvent.click(screen.getByRole('button', { name: 'Keep mine' }));
    await until(() => stored.document.title === 'Mine too');

    stored = { ...stored, document: { ...document, title: 'Theirs too' }, updatedAt: 'later still' };
    write('Mine again');
    await shows(/This plan was changed elsewhere/);
    fireEvent.click(screen.getByRole('button', { name: 'Take theirs' }));
    expect(title).toHaveValue('Theirs too');
    expect(stored.document.title).toBe('Theirs too');
  });

  it('of a frozen one takes reasons, and nothing else', async () => {
    server.get('/api/plans/{planId}', () => frozen);
    server.patch('/api/plans/{planId}/deviations/{deviationId}', () => ({
      ...frozen,
      deviations: frozen.deviations.map((each) => ({ ...each, reason: 'The budget was cut.' })),
    }));
    const { user } = visit(`/study-plans/${PLAN}`);
    expect(await screen.findByText(/The study had no answers then. 1 earlier run/)).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Save draft' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Add a reason for Digital twins' }));
    const dialog = within(await shownDialog());
    await fill(user, dialog.getByLabelText('Reason'), 'The budget was cut.');
    await user.click(dialog.getByRole('button', { name: 'Add' }));
    expect(await screen.findByText('The budget was cut.')).toBeVisible();
    expect(screen.queryByRole('button', { name: /Add a reason/ })).toBeNull();
  });

  it('shows who does not own it a draft to read', async () => {
    server.get('/api/plans/{planId}', () => ({ ...draft, isOwner: false }));
    visit(`/study-plans/${PLAN}`);
    expect(await screen.findByText('A resort fee seems less fair.')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Freeze…' })).toBeNull();
  });
});
