import type { components } from '@/api/schema';

type Schemas = components['schemas'];
export type StudyPlan = Schemas['StudyPlan'];
export type PlanDocument = Schemas['StudyPlanDocument'];
export type Deviation = Schemas['Deviation'];
export type NameNotFound = Schemas['NameNotFound'];

/** A plan as its form holds it. */
export interface Draft {
  title: string;
  authors: string;
  mainQuestion: string;
  /** One a line. */
  hypotheses: string;
  dependentVariables: string;
  primaryItems: string[];
  conditions: string;
  contrasts: { of?: string; a?: string; b?: string }[];
  analyses: string;
  metric: string;
  multiplicity: Schemas['Multiplicity'];
  family: string;
  weights: string;
  alpha: number | null;
  exclusions: string;
  sampleSize: string;
  personaCount: number | null;
  seed: number | null;
  temperature: number | null;
  models: string[];
  variants: Schemas['PersonaVariant'][];
  repeats: number | null;
  everyArm: boolean;
  reversed: boolean;
  questionsPerCall: number | null;
  /** Null: not planned, as the others. */
  callScope: Schemas['CallScope'] | null;
  shuffle: boolean | null;
  memory: Schemas['Memory'] | null;
  other: string;
  blind: boolean;
}

const ALPHA = 0.05;

export const draftOf = ({ choices, run, hypotheses, contrasts, ...texts }: PlanDocument): Draft => ({
  title: texts.title ?? '',
  authors: texts.authors ?? '',
  mainQuestion: texts.mainQuestion ?? '',
  hypotheses: (hypotheses ?? []).join('\n'),
  dependentVariables: texts.dependentVariables ?? '',
  primaryItems: texts.primaryItems ?? [],
  conditions: texts.conditions ?? '',
  contrasts: contrasts ?? [],
  analyses: texts.analyses ?? '',
  metric: choices?.metric ?? '',
  multiplicity: choices?.multiplicity ?? 'benjamini_hochberg',
  family: choices?.family ?? '',
  weights: choices?.weights ?? '',
  alpha: choices?.alpha ?? ALPHA,
  exclusions: texts.exclusions ?? '',
  sampleSize: texts.sampleSize ?? '',
  personaCount: run?.personaCount ?? null,
  seed: run?.seed ?? null,
  temperature: run?.temperature ?? null,
  models: run?.models ?? [],
  variants: run?.variants ?? [],
  repeats: run?.repeats ?? null,
  everyArm: run?.everyArm ?? false,
  reversed: run?.orders?.includes('reversed') ?? false,
  questionsPerCall: run?.questionsPerCall ?? null,
  callScope: run?.callScope ?? null,
  shuffle: run?.shuffleOptions ?? null,
  memory: run?.memory ?? null,
  other: texts.other ?? '',
  blind: texts.blind ?? false,
});

/** The plan as it is saved. A contrast that is not complete is left out. */
export const documentOf = (draft: Draft): PlanDocument => ({
  title: draft.title.trim(),
  authors: draft.authors.trim(),
  mainQuestion: draft.mainQuestion.trim(),
  hypotheses: draft.hypotheses
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== ''),
  dependentVariables: draft.dependentVariables.trim(),
  primaryItems: draft.primaryItems,
  conditions: draft.conditions.trim(),
  contrasts: draft.contrasts.flatMap(({ of = '', a = '', b = '' }) =>
    [of, a, b].every((part) => part.trim() !== '') ? [{ of: of.trim(), a: a.trim(), b: b.trim() }] : [],
  ),
  analyses: draft.analyses.trim(),
  choices: {
    metric: draft.metric.trim(),
    multiplicity: draft.multiplicity,
    family: draft.family.trim(),
    weights: draft.weights.trim(),
    alpha: draft.alpha ?? ALPHA,
  },
  exclusions: draft.exclusions.trim(),
  sampleSize: draft.sampleSize.trim(),
  run: {
    personaCount: draft.personaCount,
    seed: draft.seed,
    temperature: draft.temperature,
    models: draft.models,
    variants: draft.variants,
    repeats: draft.repeats,
    everyArm: draft.everyArm,
    orders: draft.reversed ? ['as_written', 'reversed'] : [],
    ...(draft.questionsPerCall !== null && { questionsPerCall: draft.questionsPerCall }),
    ...(draft.callScope !== null && { callScope: draft.callScope }),
    ...(draft.shuffle !== null && { shuffleOptions: draft.shuffle }),
    ...(draft.memory !== null && { memory: draft.memory }),
  },
  other: draft.other.trim(),
  blind: draft.blind,
});
