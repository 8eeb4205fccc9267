import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import useSWR, { type Fetcher, type Key, type SWRConfiguration, type SWRResponse } from 'swr';
import { ApiError } from './client';

/** When something is asked again by itself. */
export interface Polling<Data> {
  /** Milliseconds between two questions. */
  ms: number;
  /** Whether it goes on after the newest answer; looked at again at each turn. */
  goesOn: (latest: Data | undefined) => boolean;
}

/** SWR's settings, and when to ask again. */
export type Config<Data> = SWRConfiguration<Data, ApiError> & { polling?: Polling<Data> };

/**
 * Asks again every `ms` milliseconds as long as `goesOn` says of the newest answer; a failure that may pass ends
 * nothing. A hidden tab asks nothing and catches up when it is seen again, which is SWR's way.
 */
export function polling<Data>(ms: number, goesOn: (latest: Data | undefined) => boolean): Config<Data> {
  return {
    polling: { ms, goesOn },
    // Within SWR's usual two seconds a second question counts as the first one, and shorter intervals do not hold.
    dedupingInterval: ms / 2,
    onErrorRetry: (error, _key, _config, revalidate, options) => {
      if (mayPass(error)) setTimeout(() => void revalidate(options), ms);
    },
  };
}

/** Whether asking again can help: an answer that says no says no again. */
export const mayPass = ({ status }: ApiError): boolean => status === 0 || status === 429 || status >= 500;

/** `useSWR` with {@link polling}. */
export function usePolled<Data>(
  key: Key,
  fetcher: Fetcher<Data>,
  { polling, ...config }: Config<Data> = {},
): SWRResponse<Data, ApiError> {
  const [on, setOn] = useState(false);
  const newest = useRef(polling);
  useLayoutEffect(() => {
    newest.current = polling;
  });
  // SWR starts its clock anew with every other interval: it stays the same one, however often the page is drawn.
  const refreshInterval = useMemo(() => {
    if (!on) return 0;
    return (latest: Data | undefined) => {
      if (newest.current?.goesOn(latest) === true) return newest.current.ms;
      setOn(false);
      return 0;
    };
  }, [on]);
  const result = useSWR<Data, ApiError>(key, fetcher, { ...config, refreshInterval });
  const goesOn = polling?.goesOn(result.data) ?? false;
  if (goesOn !== on) setOn(goesOn);
  return result;
}
