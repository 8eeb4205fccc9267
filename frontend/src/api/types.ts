// What the API speaks of. Credits are whole numbers, times RFC 3339 in UTC.

export type Role = 'super_admin' | 'admin' | 'user';

export interface Profile {
  id: number;
  name: string | null;
  email: string;
  role: Role;
  isVerified: boolean;
  photoUrl: string | null;
}

export type ExportFormat = 'csv' | 'excel' | 'json';

export interface Settings {
  emailNotifications: boolean;
  simulationComplete: boolean;
  lowBudget: boolean;
  newFeatures: boolean;
  defaultDigitalTwins: number;
  autoSave: boolean;
  exportFormat: ExportFormat;
  theme: 'light' | 'dark';
}

export interface Group {
  id: number;
  groupName: string;
  ownerEmail: string;
  ownerId: number;
  /** `open` is shown as active, anything else as inactive. */
  status: string;
  createdAt: string;
  updatedAt: string;
  initialBudgetPerUser: number;
  isOwner: boolean;
}

export interface GroupMember {
  id: number;
  groupId: number;
  userId: number;
  budget: number;
  held: number;
  available: number;
  status: 'active' | 'suspended';
  user: Profile;
  group?: Group;
}

export interface MemberUsage {
  userId: number;
  email: string;
  name: string | null;
  budget: number;
  held: number;
  spent: number;
  runs: number;
}

export type TransactionType = 'ADD' | 'MINES' | 'SET';

export interface Transaction {
  id: number;
  type: TransactionType;
  /** A numeric string. */
  amount: string;
  description: string;
  createdAt: string;
  groupId: number;
  userId: number;
  simulationId?: string | null;
  reversedAt?: string | null;
  groupUser: GroupMember | null;
}

export type Visibility = 'PRIVATE' | 'PUBLIC';
export type SimulationStatus =
  'PENDING' | 'QUEUED' | 'RUNNING' | 'PAUSED' | 'STOPPED' | 'COMPLETED' | 'FAILED';

export interface Survey {
  id: number;
  title: string;
  description: string;
  groupId: number;
  group: { id: number; group_name: string } | null;
  userId: number;
  visibility: Visibility;
  simulation_status: SimulationStatus | null;
  simulation_completed_at: string | null;
  isLocked: boolean;
  questionCount: number;
  createdAt: string;
}

export type QuestionType =
  | 'SINGLE_CHOICE'
  | 'MULTIPLE_CHOICE'
  | 'MATRIX'
  | 'SLIDER'
  | 'TEXT_ENTRY'
  | 'RANGE'
  | 'NUMBER'
  | 'BOOLEAN'
  | 'OPENENDED';

export interface Question {
  id: number;
  text: string;
  questionType: QuestionType;
  required: boolean;
  /** 1-based place in the survey. */
  order: number;
  options: { id?: number; text: string }[];
  scale_labels: string[];
  subQuestions: string[];
  minValue: number | null;
  maxValue: number | null;
  minDescription: string | null;
  maxDescription: string | null;
  placeholder: string | null;
}

export interface QuestionPayload {
  text: string;
  type: QuestionType;
  required: boolean;
  options?: string[];
  scale_labels?: string[];
  sub_questions?: string[];
  min_value?: number | null;
  max_value?: number | null;
  min_description?: string | null;
  max_description?: string | null;
}

export interface Simulation {
  id: number;
  simulationId: string;
  surveyId: number;
  surveyTitle: string;
  userId: number;
  status: SimulationStatus;
  created_at: string;
  updated_at: string;
  startedAt: string | null;
  completedAt: string | null;
  errorMessage: string | null;
  personaCount: number;
  totalQuestions: number;
  totalRequests: number;
  successfulRequests: number;
  failedRequests: number;
  /** Answered by the built-in demo model, not by a language model. */
  demoModel: boolean;
}

export interface Progress {
  simulationId: string;
  simulationStatus: SimulationStatus;
  status: SimulationStatus;
  totalRequests: number;
  successfulRequests: number;
  failedRequests: number;
  inFlight: number;
  progressPercentage: number;
  requestsPerSecond: number | null;
  etaSeconds: number | null;
  startedAt: string | null;
  updatedAt: string;
}

export interface SimulationConfig {
  canSimulate: boolean;
  reason?: string | null;
  maxPersonas: number;
  totalPersonas: number;
  questionCount: number;
  /** Credits that the caller has free in the survey's group. */
  availableCredits: number;
  model: string;
  demoModel: boolean;
  questionsPerCall: number;
  tokensPerPersona: number;
  requestsPerMinute: number | null;
}

export interface StartSimulation {
  userId: number;
  personaCount: number;
  selectedPersonaIds?: number[];
  isRandomSelection: boolean;
}

export interface SimulationResponse {
  id: number;
  simulationId: string;
  personaId: number;
  personaName: string;
  questionId: number;
  questionText: string;
  questionType: QuestionType;
  availableOptions: string[];
  answer: string;
  answerValue: unknown;
  surveyTitle: string;
  created_at: string;
}

export interface RequestFailure {
  personaId: number;
  questionId: number;
  code: string;
  message: string;
}

/** One bar of a chart: how many twins gave this answer. */
export interface Tally {
  value: string;
  count: number;
  share: number;
}

export interface QuestionSummary {
  questionId: number;
  order: number;
  text: string;
  questionType: QuestionType;
  n: number;
  mean: number | null;
  sd: number | null;
  counts: Tally[];
  /** MATRIX only: the counts of each row. */
  rows: { row: string; n: number; mean: number | null; counts: Tally[] }[];
  /** Text questions only: some of the answers. */
  texts: string[];
  /** With `by`: the same per value of the attribute. */
  groups: { value: string; n: number; mean: number | null; counts: Tally[] }[];
}

export interface ResponsesSummary {
  simulationId: string;
  by: string | null;
  attributes: string[];
  questions: QuestionSummary[];
}

export interface Persona {
  id: number;
  name: string;
  description: string;
  attributes: Record<string, string>;
}

export interface ImportReport {
  imported: number;
  rejected: { line: number; column: string | null; message: string }[];
}

export interface AccessRequest {
  id: number;
  email: string;
  instituteName: string;
  purposeOfUse: string;
  description: string;
  status: 'pending' | 'approved' | 'rejected';
  reason: string | null;
  createdAt: string;
  decidedAt: string | null;
}

export interface QueueStatus {
  queued: number;
  running: number;
  oldestSeconds: number | null;
  workers: { id: string; name: string; busy: boolean; inFlight: number; startedAt: string }[];
  modelServer: { model: string; demoModel: boolean; blockedUntil: string | null; reason: string | null };
}

/** The body of every answer that is an error. */
export interface ErrorBody {
  statusCode: number;
  error: string;
  message: string;
}
