import useSWR from 'swr';
import { api, type ApiError } from './client';
import { readOnce } from './hooks';
import type { components } from './schema';
import { session } from './session';

type Schemas = components['schemas'];
export type StudyPrice = Schemas['StudyPrice'];
export type StudyToStart = Schemas['StudyToStart'];

const STUDIES = '/api/surveys/{surveyId}/studies';

/** The first part of the keys of prices, for `refresh`. */
export const PRICES = `${STUDIES}?price`;

/** The price of what a start request asks. `key` changes with the request's body; `null` asks nothing. */
export const usePrice = (surveyId: number, key: string | null, body: () => Promise<StudyToStart>) =>
  useSWR<StudyPrice, ApiError>(
    key === null ? null : [PRICES, surveyId, key, session()?.id],
    async () => {
      const params = { path: { surveyId }, query: { price: true } };
      return (await api.post(STUDIES, { params, body: await body() })) as StudyPrice;
    },
    { keepPreviousData: true, ...readOnce },
  );
