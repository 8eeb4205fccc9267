import { mutate, type SWRResponse } from 'swr';
import {
  api,
  getAll,
  getPage,
  type Answer,
  type ApiError,
  type Counted,
  type Options,
  type PathsOf,
  type RowOf,
} from './client';
import { usePolled, type Config } from './polling';
import { session } from './session';

type Lists = PathsOf<'get'>;

/** SWR options for data that fills a form: it must not change while the user edits, and a refusal is final. */
export const readOnce = { revalidateOnFocus: false, shouldRetryOnError: false };

type Result<Data> = SWRResponse<Data, ApiError>;

/**
 * The server's answer to a GET, kept fresh by SWR. A path of `null` asks nothing (yet).
 * Two components that ask the same share one request.
 */
export function useGet<P extends Lists>(
  path: P | null,
  options?: Options<P, 'get'>,
  config?: Config<Answer<P, 'get'>>,
): Result<Answer<P, 'get'>> {
  const get = api.get as (path: P, options?: Options<P, 'get'>) => Promise<Answer<P, 'get'>>;
  return usePolled(path && asked(path, options, 'one'), () => get(path as P, options), config);
}

/** A page of a list, as `limit` and `offset` of the query say, and how many rows there are. */
export function usePage<P extends Lists>(
  path: P | null,
  options: Options<P, 'get'>,
  config?: Config<Counted<RowOf<P>>>,
): Result<Counted<RowOf<P>>> {
  return usePolled(path && asked(path, options, 'page'), () => getPage(path as P, options), config);
}

/** A whole list, however many pages it has. */
export function useAll<P extends Lists>(
  path: P | null,
  options: Options<P, 'get'>,
  config?: Config<RowOf<P>[]>,
): Result<RowOf<P>[]> {
  return usePolled(path && asked(path, options, 'all'), () => getAll(path as P, options), config);
}

/** SWR's cache key. It includes the user's id, so that the next user never sees this one's data. */
const asked = (path: string, options: { params?: unknown } | undefined, kind: 'one' | 'page' | 'all') =>
  [path, options?.params, kind, session()?.id] as const;

/** Asks again everything whose path starts like this: `refresh('/api/surveys')`. */
export function refresh(prefix: string): Promise<unknown> {
  return mutate((key) => Array.isArray(key) && String(key[0]).startsWith(prefix));
}

/** Forgets what the last user saw. */
export function forgetAll(): Promise<unknown> {
  return mutate(() => true, undefined, { revalidate: false });
}
