// One of each thing that the API speaks of, to be changed where a test needs it otherwise.
import type { StudyPrice } from '@/api/prices';
import type {
  Group,
  GroupMember,
  Profile,
  Progress,
  Question,
  Settings,
  Simulation,
  SimulationConfig,
  Survey,
} from '@/api/types';
import type { Facts } from '@/runs/useFacts';

const then = '2026-01-01T09:00:00Z';

export const profile: Profile = {
  id: 1,
  name: 'Ada',
  email: 'ada@example.org',
  role: 'admin',
  isVerified: true,
  photoUrl: null,
};

export const settings: Settings = {
  emailNotifications: true,
  simulationComplete: true,
  lowBudget: true,
  newFeatures: false,
  defaultDigitalTwins: 100,
  autoSave: true,
  exportFormat: 'csv',
  theme: 'light',
};

export const group: Group = {
  id: 4,
  groupName: 'Mornings',
  ownerEmail: 'ada@example.org',
  ownerId: 1,
  status: 'open',
  createdAt: then,
  updatedAt: then,
  initialBudgetPerUser: 500,
  isOwner: true,
  available: 500,
  allowFullPersonas: true,
  allowSingleQuestionCalls: true,
};

export const member: GroupMember = {
  id: 11,
  groupId: 4,
  userId: 2,
  budget: 700,
  held: 0,
  available: 700,
  status: 'active',
  createdAt: then,
  user: { ...profile, id: 2, name: null, email: 'grace@example.org', role: 'user' },
  group,
};

export const survey: Survey = {
  id: 3,
  title: 'Coffee',
  description: '',
  groupId: 4,
  group: { id: 4, group_name: 'Mornings' },
  userId: 1,
  visibility: 'PRIVATE',
  simulation_status: null,
  simulation_completed_at: null,
  simulationId: null,
  isLocked: false,
  questionCount: 1,
  createdAt: then,
  updatedAt: then,
};

export const question: Question = {
  id: 31,
  surveyId: 3,
  order: 1,
  text: 'What do you drink?',
  name: 'drink',
  questionType: 'SINGLE_CHOICE',
  required: true,
  options: [{ text: 'Coffee' }, { text: 'Tea' }],
  scale_labels: [],
  subQuestions: [],
};

export const run: Simulation = {
  id: 7,
  simulationId: '0b9fd3a4-5d0a-4b7e-9d3f-1c2b3a4d5e6f',
  surveyId: 3,
  surveyTitle: 'Coffee',
  userId: 1,
  groupId: 4,
  groupName: 'Mornings',
  startedBy: 'Ada',
  status: 'COMPLETED',
  attempt: 1,
  created_at: then,
  updated_at: then,
  startedAt: then,
  completedAt: then,
  errorMessage: null,
  personaCount: 5,
  totalQuestions: 2,
  totalRequests: 10,
  successfulRequests: 10,
  failedRequests: 0,
  skippedRequests: 0,
  demoModel: false,
  parameters: {
    model: 'twinlab-demo',
    seed: 1,
    questionsPerCall: 20,
    personaVariant: 'summary',
    shuffleOptions: false,
  },
};

/** Facts of a run, as `GET /simulations/{id}` returns them. */
export const factsOf = (shown: Simulation): Facts => ({
  ...shown,
  group: { id: 4, group_name: 'Mornings' },
  model: 'gpt-4.1-mini',
  temperature: null,
  seed: 1,
  personaVariant: 'summary',
  questionsPerCall: 20,
  shuffleOptions: false,
  notSent: [],
  withoutEffect: [],
  programVersion: '0.1.0',
  surveyHash: '0123456789abcdef',
  personasSource: 'Twin-2K-500',
  synthetic: false,
  textsMayBePassedOn: true,
  openRequests: 6,
  held: 6,
  calls: 2,
  promptTokens: 8000,
  cachedTokens: 0,
  completionTokens: 60,
  reasoningTokens: 0,
  cacheWriteTokens: 0,
  servedBy: [
    { model: 'gpt-4.1-mini-2025-04-14', fingerprint: 'fp_1' },
    { model: 'gpt-4.1-mini-2025-07-01', fingerprint: null },
  ],
  notice: 'answers of a model',
});

export const progress: Progress = {
  simulationId: run.simulationId,
  simulationStatus: 'RUNNING',
  status: 'RUNNING',
  totalRequests: 10,
  successfulRequests: 4,
  failedRequests: 0,
  skippedRequests: 0,
  inFlight: 2,
  progressPercentage: 40,
  requestsPerSecond: 2,
  etaSeconds: 3,
  startedAt: then,
  updatedAt: then,
  errorMessage: null,
  debug: {
    simulationStatus: 'RUNNING',
    surveyStatus: 'RUNNING',
    successfulRequests: 4,
    failedRequests: 0,
    totalRequests: 10,
    isComplete: false,
  },
};

/** The price of a run of 100 twins and one question. */
export const price: StudyPrice = {
  runs: [
    {
      parameters: run.parameters,
      credits: 100,
      estimate: { answers: 100, calls: 100, tokens: 90_000, cost: null, time: null },
    },
  ],
  credits: 100,
  available: 500,
  remaining: 400,
  personas: 100,
  affordablePersonas: 100,
  estimate: { answers: 100, calls: 100, tokens: 90_000, cost: null, time: null },
  warnings: [],
};

export const config: SimulationConfig = {
  canSimulate: true,
  maxPersonas: 500,
  totalPersonas: 2058,
  lastPersonaId: 2058,
  missingPersonaIds: [],
  questionCount: 1,
  availableCredits: 500,
  model: 'twinlab-demo',
  demoModel: true,
  questionsPerCall: 20,
  tokensPerPersona: 900,
  tokensPerProfile: 810,
  tokensPerQuestion: 90,
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrency: null,
  callSeconds: null,
  prices: {},
  batchPrices: {},
  models: ['twinlab-demo'],
  allowFullPersonas: true,
  personaVariants: ['summary', 'full', 'demographics', 'empty'],
  modelServers: {},
  limits: {},
  minQuestionsPerCall: 1,
};
