import { render, screen } from '@testing-library/react';
import { App } from 'antd';
import { MemoryRouter } from 'react-router';
import { SWRConfig } from 'swr';
import { expect } from 'vitest';
import type { Compared } from '@/api/types';
import People from '@/features/people/People';
import { run, survey } from './fixtures';
import { newUser, signInAs, Unstyled } from './render';
import { mockServer } from './server';
import { holm } from './summaries';

export const CALL = '/api/surveys/{surveyId}/simulation/{simulationId}/people';
export const OWN = '/api/surveys/{surveyId}/simulation/{simulationId}/own-answers';

/** The only test of its family, without a frozen plan. */
const adjusted = {
  adjustedP: 0.012,
  adjustment: 'benjamini_hochberg',
  familySize: 1,
  alpha: 0.05,
  verdict: 'differs',
} as const;

export const compared: Compared = {
  people: 3,
  twins: 3,
  pairs: 2,
  paired: true,
  level: 0.95,
  draws: 2000,
  seed: 1,
  family: 1,
  rule: { ...holm, adjustment: 'benjamini_hochberg', words: 'p by Benjamini and Hochberg, alpha .05.' },
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
      ...adjusted,
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
    node: null,
    reference: 'control',
    twinsInAllArms: true,
    agreement: {
      effects: 1,
      sameSign: 0,
      signAgreement: { value: 0, low: 0, high: 0.79, n: 1 },
      shown: {
        counts: { both: 0, bothSameSign: 0, peopleOnly: 1, twinsOnly: 0, neither: 0 },
        sensitivity: { value: 0, low: 0, high: 0.79, n: 1 },
        falseAlarms: null,
        agreeByChance: 0,
      },
      peopleHoldTwins: 0,
      significant: { both: 0, bothSameSign: 0, peopleOnly: 1, twinsOnly: 0, neither: 0 },
      sensitivity: { value: 0, low: 0, high: 0.79, n: 1 },
      r: null,
      slope: null,
    },
    balance: [],
    notCompared: [],
    covariates: [],
    unusedCovariates: [],
    effects: [
      {
        item: 'fair',
        madeOf: [],
        arm: 'fee',
        reference: 'control',
        people: { difference: 0.4, low: 0.1, high: 0.7, d: 0.3, dLow: 0.08, dHigh: 0.53, p: 0.01 },
        twins: { difference: -0.1, low: -0.3, high: 0.1, d: -0.1, dLow: -0.3, dHigh: 0.1, p: 0.4 },
        sameSign: false,
        sameSignificance: false,
        gap: { difference: -0.5, low: -0.9, high: -0.1 },
        peopleHoldTwins: false,
        qPeople: 0.01,
        qTwins: 0.4,
        adjustedPeople: { ...adjusted, adjustedP: 0.01 },
        adjustedTwins: { ...adjusted, adjustedP: 0.4, verdict: 'no_clear_difference' },
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
    arms: {
      matched: [
        {
          node: 'fee_arm',
          deals: 'one_arm',
          columns: ['FL_7_DO'],
          by: 'node_id',
          arms: ['control', 'fee'],
          values: [{ value: 'FL_9', arm: 'control', nearest: null, people: 2 }],
          people: 2,
          agreeing: [{ column: 'mood', agrees: 1, of: 2 }],
        },
      ],
      unmatched: [
        { node: 'orders', reason: 'all its parts are shown in a drawn order', nearest: null, arms: [] },
      ],
      compared: null,
    },
  },
  experiments: [],
  scoring: [
    {
      name: 'fair',
      text: 'How fair is it?',
      questionType: 'SINGLE_CHOICE',
      labels: ['low', 'mid', 'high'],
      codes: [1, 2, 3],
      rows: 1,
      scale: 'ordinal',
      reason: 'words',
      isChosen: false,
    },
    {
      name: 'size',
      text: 'Which size?',
      questionType: 'NUMBER',
      labels: [],
      codes: [],
      rows: 1,
      scale: 'interval',
      reason: 'numbers',
      isChosen: false,
    },
  ],
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
        estimators: [],
      },
    ],
    refused: [{ name: 'fair', reason: '20 people are too few' }],
    assumption: 'The people asked are a random sample of those whom the twins stand for.',
  },
  formulas: [],
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
export function serve() {
  const server = mockServer();
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, userId: 2, questions: [] }));
  server.get(OWN, () => ({ hasAnswers: false, people: 0, questions: [], notTaken: [] }));
  return server;
}

/** The tab. What an earlier test asked does not stand in for what this one asks. */
export const Tab = () => (
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
export async function withFile(name = 'people.csv', type = 'text/csv') {
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
