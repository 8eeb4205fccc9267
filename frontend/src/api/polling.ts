import type { SWRConfiguration } from 'swr';
import { ApiError } from './client';

type Config<Data> = SWRConfiguration<Data, ApiError>;

/**
 * Asks again every `ms` milliseconds as long as `goesOn` says of the newest answer; a failure that may pass ends
 * nothing. A hidden tab asks nothing and catches up when it is seen again, which is SWR's way.
 */
export function polling<Data>(ms: number, goesOn: (latest: Data | undefined) => boolean): Config<Data> {
  return {
    refreshInterval: (latest) => (goesOn(latest) ? ms : 0),
    // Within SWR's usual two seconds a second question counts as the first one, and shorter intervals do not hold.
    dedupingInterval: ms / 2,
    onErrorRetry: (error, _key, _config, revalidate, options) => {
      if (mayPass(error)) setTimeout(() => void revalidate(options), ms);
    },
  };
}

/** Whether asking again can help: an answer that says no says no again. */
export const mayPass = ({ status }: ApiError): boolean => status === 0 || status === 429 || status >= 500;
