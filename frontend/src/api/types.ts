// What the API speaks of, by the names of its document (`schema.ts`, generated). Credits are whole numbers, times
// RFC 3339 in UTC. Fields that may be null may also be left out.
import type { components } from './schema';

type Schemas = components['schemas'];

export type Role = 'super_admin' | 'admin' | 'user';
export type Profile = Schemas['Profile'];
export type Settings = Schemas['Settings'];
export type AccessToken = Schemas['AccessToken'];
/** The scope of a token; each includes the ones before it. */
export type Scope = Schemas['Scope'];

/** A model server as super admins see it. */
export type ModelKey = Schemas['ModelKey'];
export type ModelServer = Schemas['ModelServerOverview'];

/** Its status is `open`, shown as active, or anything else, shown as inactive. */
export type Group = Schemas['Group'];
export type GroupMember = Schemas['GroupMember'];
export type MemberUsage = Schemas['MemberUsage'];
export type Transaction = Schemas['Transaction'];
export type TransactionType = 'ADD' | 'MINES' | 'SET';

export type Survey = Schemas['Survey'];
export type Visibility = 'PRIVATE' | 'PUBLIC';
export type Question = Schemas['Question'];
export type QuestionType = Schemas['QuestionType'];
export type QuestionPayload = Schemas['QuestionToSend'];
/** A name of a survey that becomes another one. */
export type Rename = Omit<Schemas['NewName'], 'expectedHash'>;

export type Simulation = Schemas['Simulation'];
export type SimulationToStart = Schemas['SimulationToStart'];
/** So many twins with these attributes. */
export type TwinQuota = Schemas['TwinQuota'];
export type SimulationStatus = Schemas['SimulationStatus'];
/** An amount in a currency, with six decimals. */
export type Money = Schemas['Money'];
export type Progress = Schemas['Progress'];
export type SimulationConfig = Schemas['SimulationConfig'];
/** The address of a run in its survey. */
export interface RunAddress {
  surveyId: number;
  simulationId: string;
}

/** One twin's part of a run, as a row of Matrix View. */
export type MatrixRow = Schemas['MatrixRow'];
/** One twin and one question, answered or not. */
export type SimulationRequest = Schemas['DebuggedRequest'];
export type SimulationAnswer = Schemas['SimulationResponse'];
export type ResultSummary = Schemas['ResponsesSummary'];
/** A read-only link to a run's results. */
export type ShareLink = Schemas['ShareLink'];
/** An answer in free words, and how many twins gave it. */
export type GivenText = Schemas['GivenText'];
/** Answers in free words that share a word or a pair of words. */
export type TextTheme = Schemas['TextTheme'];
export type Texts = Schemas['Texts'];
export type QuestionSummary = Schemas['QuestionSummary'];
/** How many twins gave an answer. */
export type Tally = Schemas['Count'];
/** How many twins answered a number in an interval. */
export type Bin = Schemas['Bin'];

export type Persona = Schemas['Persona'];
export type ImportReport = Schemas['ImportReport'];
export type AccessRequest = Schemas['AccessRequest'];
/** Twins beside people who answered the same survey. */
export type Compared = Schemas['PeopleComparison'];
