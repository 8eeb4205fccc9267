import type { ReactNode } from 'react';
import { Alert } from 'antd';
import useSWR from 'swr';
import { api, ApiError, failed } from '@/api/client';
import type { components } from '@/api/schema';
import type { SimulationConfig } from '@/api/types';
import { count } from '@/ui/format';
import { callsOf } from './duration';
import { costText, expectedCost } from './price';
import { cellName } from './cells';

type Asked = components['schemas']['StudyToStart'];
type Price = components['schemas']['StudyPrice'];

/** The server's price for the same request as the start. `key` changes with the request's body. */
export function useStudyPrice(surveyId: number, key: string | null, body: () => Promise<Asked>) {
  return useSWR<Price, ApiError>(
    key === null ? null : ['/api/surveys/studies/price', surveyId, key],
    async () => {
      const params = { path: { surveyId }, query: { price: true } };
      return (await api.post('/api/surveys/{surveyId}/studies', {
        params,
        body: await body(),
      })) as Price;
    },
    { keepPreviousData: true, shouldRetryOnError: false, revalidateOnFocus: false },
  );
}

/** The one price of all runs, and what each takes of it. */
export function StudyPrice({
  price,
  error,
  personas,
  config,
}: {
  price: Price | undefined;
  error: ApiError | undefined;
  personas: number;
  config: SimulationConfig;
}) {
  if (error !== undefined) return <Alert type="error" title={failed('Cannot start study', error)} />;
  if (price === undefined) return null;
  const money = moneyOf(price, personas, config);
  return (
    <PriceList
      price={price}
      nameOf={(run) => cellName(run, price.runs)}
      short="This study needs more credits than you have in this group."
    >
      {money !== null && (
        <>
          <dt>Money, about</dt>
          <dd>{money}</dd>
        </>
      )}
    </PriceList>
  );
}

export function PriceList({
  price: { runs, credits, available },
  nameOf,
  short,
  children,
}: {
  price: Price;
  nameOf: (run: Price['runs'][number]) => string;
  /** Said where there are too few credits. */
  short: string;
  children?: ReactNode;
}) {
  const isShort = credits > (available ?? 0);
  return (
    <>
      <dl className="estimate">
        {runs.map((run, place) => (
          <RunPrice key={place} name={nameOf(run)} credits={run.credits} />
        ))}
        <dt>Credits needed{runs.length > 1 && `, ${count(runs.length)} runs`}</dt>
        <dd>{count(credits)}</dd>
        <dt>Credits available</dt>
        <dd className={isShort ? 'estimate-short' : undefined}>{count(available ?? 0)}</dd>
        {children}
      </dl>
      {isShort && <Alert type="warning" role="status" title={short} />}
    </>
  );
}

/** The price of the calls of all runs, where the prices of all models are known in one currency. */
function moneyOf({ runs }: Price, personas: number, config: SimulationConfig): string | null {
  const costs = runs.map(({ parameters: { model, questionsPerCall } }) => {
    const questions = config.questionCount;
    return expectedCost(config, model, {
      personas,
      questions,
      calls: callsOf(personas, questions, questionsPerCall),
    });
  });
  const currency = costs[0]?.currency;
  let [low, high] = [0, 0];
  for (const cost of costs) {
    if (cost === null || cost.currency !== currency) return null;
    low += cost.low;
    high += cost.high;
  }
  return currency === undefined ? null : costText({ low, high, currency });
}

const RunPrice = ({ name, credits }: { name: string; credits: number }) => (
  <>
    <dt>{name}</dt>
    <dd>{count(credits)}</dd>
  </>
);
