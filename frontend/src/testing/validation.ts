import type {
  Arm,
  Figure,
  ProfileOverlap,
  Validation,
  ValidatedTask,
  ValidationOffer,
  Verdict,
} from '@/api/validation';

const figure = (value: number, half: number): Figure => ({
  value,
  low: value - half,
  high: value + half,
  n: 100,
  note: null,
});

const verdicts: Verdict[] = [
  {
    state: 'not_shown',
    title: 'Do not use individual answers.',
    text: 'r = .21, 95 % CI .15 to .27; the limit is .30, a convention of this program.',
  },
  {
    state: 'too_few_twins',
    title: 'Too few twins to tell whether spread is understated.',
    text: 'SD ratio .62, 95 % CI .42 to .82; the limit is .80, a convention of this program. About 130 twins could tell, if the figure stays as it is.',
    twinsNeeded: 130,
  },
  {
    state: 'shown',
    title: 'The profile adds something.',
    text: 'Accuracy .02, 95 % CI .01 to .03 over an empty profile.',
  },
  {
    state: 'not_shown',
    title: 'Not more accurate than the best answer without a model.',
    text: 'Accuracy −.02, 95 % CI −.03 to −.01 over the median of everybody’s first answers, which of 4 answers without a model is the most accurate here; it is chosen by the same answers, which favours it.',
  },
];

const arm = (
  key: string,
  kind: Arm['kind'],
  label: string,
  detail: string,
  [accuracy, ofCeiling, r, sdRatio, glass, exact]: [number, number, number, number, number, number],
): Arm => ({
  key,
  kind,
  label,
  detail,
  people: 100,
  answers: 8500,
  accuracy: figure(accuracy, 0.012),
  ofCeiling: figure(ofCeiling, key === 'ceiling' ? 0 : 0.015),
  r: figure(r, 0.06),
  sdRatio: figure(sdRatio, 0.05),
  glass: figure(glass, 0.04),
  exact: figure(exact, 0.02),
  overEmpty: key === 'wave1_3' ? figure(0.015, 0.01) : null,
  overDemographics: key === 'wave1_3' ? figure(0.008, 0.01) : null,
  badge: key === 'summary' ? 'made from the full record; not provably leak-free' : null,
  verdicts: key === 'wave1_3' ? verdicts : [],
});

const task = (
  [key, title, items]: [string, string, number],
  [random, empty, twins, ceiling]: [number, number, number, number],
): ValidatedTask => ({
  key,
  title,
  items,
  people: 100,
  random,
  ceiling: figure(ceiling, 0.01),
  empty: figure(empty, 0.02),
  twins: figure(twins, 0.035),
  ofCeiling: twins / ceiling,
});

export const validation: Validation = {
  studyId: '6f1c9d1e-98f5-4a53-8d0e-5a3c9cbb7a10',
  setId: 2,
  source: 'Twin-2K-500 wave 1-3',
  synthetic: false,
  items: 'all',
  model: 'twinlab-demo',
  temperature: 0.7,
  createdAt: '2026-11-04T12:00:00Z',
  finished: true,
  people: 100,
  level: 0.95,
  draws: 2000,
  seed: 1,
  headline: 'wave1_3',
  arms: [
    arm(
      'ceiling',
      'people',
      'The same people, weeks later',
      'the ceiling',
      [0.816, 1, 0.61, 0.99, 0.03, 0.58],
    ),
    arm('wave1_3', 'twins', 'Waves 1-3', 'all that was said before', [0.724, 0.89, 0.21, 0.62, 0.31, 0.4]),
    arm('summary', 'twins', 'Summary', 'a short text', [0.731, 0.9, 0.24, 0.64, 0.3, 0.41]),
    arm('demographics', 'twins', 'Demographics', '14 lines', [0.716, 0.88, 0.14, 0.57, 0.35, 0.39]),
    arm('empty', 'twins', 'Empty', 'no profile at all', [0.709, 0.87, 0.08, 0.45, 0.38, 0.37]),
    {
      ...arm('random', 'baseline', 'Random', 'uniform, no model', [0.61, 0.75, -0.004, 1.14, 0.52, 0.26]),
      r: figure(-0.004, 0.03),
    },
    arm('median', 'baseline', 'Median answer', 'the same for all, no model', [0.744, 0.91, 0, 0, 0.2, 0.45]),
  ],
  bestWithoutModel: 'median',
  verdicts,
  leaks: [],
  tasks: [
    task(['allais', 'Allais', 2], [0.5, 0.56, 0.562, 0.759]),
    task(['risk', 'Risk and benefit', 8], [0.69, 0.842, 0.832, 0.853]),
    task(['false', 'False consensus', 22], [0.6, 0.71, 0.729, 0.771]),
    task(['ratio', 'Absolute or relative saving', 2], [0.5, 0.66, 0.702, 0.816]),
    task(['pricing', 'Pricing', 40], [0.5, 0.62, 0.67, 0.802]),
  ],
  notice: 'answers of a language model, not of people',
};

export const offer: ValidationOffer = {
  setId: 2,
  source: 'Twin-2K-500 wave 1-3',
  synthetic: false,
  people: 2058,
  questions: 85,
  quickQuestions: 24,
  tasks: validation.tasks.map(({ key, title, items }) => ({ key, title, items })),
  variants: ['wave1_3', 'summary', 'demographics', 'empty'],
  headline: 'wave1_3',
  refusal: null,
};

export const overlap: ProfileOverlap = {
  question: 'drink',
  text: 'What do you drink?',
  containment: 0.84,
  same: true,
  profileQuestion: 'What do you usually drink?',
};
