import useSWR, { mutate, type SWRConfiguration, type SWRResponse } from 'swr';
import { api, url, type Answer, type ApiError, type Options, type PathsOf, type Sent } from './client';

/**
 * The server's answer to a GET, kept fresh by SWR. A path of `null` asks nothing (yet).
 * Two components that ask the same share one request.
 */
export function useGet<P extends PathsOf<'get'>>(
  path: P | null,
  options?: Options<P, 'get'>,
  config?: SWRConfiguration<Answer<P, 'get'>, ApiError>,
): SWRResponse<Answer<P, 'get'>, ApiError> {
  const key = path === null ? null : url(path, (options ?? {}) as Sent);
  return useSWR<Answer<P, 'get'>, ApiError>(
    key,
    () => (api.get as Fetch)(path, options) as Promise<Answer<P, 'get'>>,
    config,
  );
}

type Fetch = (path: string | null, options?: object) => Promise<unknown>;

/** Everything cached whose address starts like this is asked again: `refresh('/api/surveys')`. */
export function refresh(prefix: string): Promise<unknown> {
  return mutate((key) => typeof key === 'string' && key.startsWith(prefix));
}

/** Forgets what the last user saw. */
export function forgetAll(): Promise<unknown> {
  return mutate(() => true, undefined, { revalidate: false });
}
