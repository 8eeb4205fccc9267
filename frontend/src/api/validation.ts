// How far twins answer as their people do, of questions that no profile holds.
import useSWR from 'swr';
import { api, type ApiError } from './client';
import { readOnce, useGet } from './hooks';
import { polling } from './polling';
import type { StudyPrice } from './prices';
import type { components } from './schema';

type Schemas = components['schemas'];
export type Arm = Schemas['ValidatedArm'];
export type Figure = Schemas['Estimate'];
/** All questions of a validation, or some of each task. */
export type Items = Schemas['ValidationItems'];
/** A place where a profile may hold what it is asked for. */
export type Leak = Schemas['LeakFinding'];
/** A question of a survey whose text stands in the twins' profiles. */
export type ProfileOverlap = Schemas['ProfileOverlap'];
/** The validations of the twins, the text, the model and the temperature of a run. */
export type Trust = Schemas['RunTrust'];
export type ValidatedTask = Schemas['ValidatedTask'];
export type Validation = Schemas['Validation'];
export type ValidationOffer = Schemas['ValidationOffer'];
export type ValidationRepeats = Schemas['Repeats'];
export type ValidationToStart = Schemas['ValidationToStart'];
/** The variant of a twin's text that the model reads. */
export type Variant = Schemas['PersonaVariant'];
export type Verdict = Schemas['ValidationVerdict'];

/** How often the figures of a validation that goes on are computed anew. */
const FIGURES_MS = 5000;
const VALIDATE = '/api/personas/sets/{setId}/validation';

export const useValidationOffer = () => useGet('/api/personas/validation', {}, readOnce);

/** A validation, looked at until it is finished. */
export const useValidation = (studyId: string) =>
  useGet(
    '/api/studies/{studyId}/validation',
    { params: { path: { studyId } } },
    { revalidateOnFocus: false, ...polling(FIGURES_MS, (latest) => latest?.finished === false) },
  );

export const useTrust = (simulationId: string) =>
  useGet(
    '/api/simulations/{simulationId}/trust',
    { params: { path: { simulationId } } },
    {
      revalidateOnFocus: false,
      ...polling(FIGURES_MS, (latest) => latest?.validation?.finished === false),
    },
  );

export const useProfileOverlaps = (surveyId: number) =>
  useGet('/api/surveys/{surveyId}/leaks', { params: { path: { surveyId } } }, readOnce);

/** The price of a validation; a body of `null` asks nothing. */
export const useValidationPrice = (setId: number, body: ValidationToStart | null) =>
  useSWR<StudyPrice, ApiError>(
    body === null ? null : [VALIDATE, setId, JSON.stringify(body)],
    async () => {
      const params = { path: { setId }, query: { price: true } };
      return (await api.post(VALIDATE, { params, body: body as ValidationToStart })) as StudyPrice;
    },
    { keepPreviousData: true, ...readOnce },
  );

/** Starts a validation, once for each `idempotencyKey`. */
export async function startValidation(
  setId: number,
  body: ValidationToStart,
  idempotencyKey: string,
): Promise<Schemas['StudyOverview']> {
  const headers = { 'Idempotency-Key': idempotencyKey };
  const params = { path: { setId } };
  return (await api.post(VALIDATE, { params, headers, body })) as Schemas['StudyOverview'];
}
