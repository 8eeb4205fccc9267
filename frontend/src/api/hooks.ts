import useSWR, { mutate, type SWRConfiguration, type SWRResponse } from 'swr';
import {
  api,
  getAll,
  getPage,
  url,
  type Answer,
  type ApiError,
  type Counted,
  type Options,
  type PathsOf,
  type RowOf,
  type Sent,
} from './client';

type Config<Data> = SWRConfiguration<Data, ApiError>;
type Result<Data> = SWRResponse<Data, ApiError>;
type Get<P extends PathsOf<'get'>> = Answer<P, 'get'>;
type Asked<P extends PathsOf<'get'>> = Options<P, 'get'>;

/**
 * The server's answer to a GET, kept fresh by SWR. A path of `null` asks nothing (yet).
 * Two components that ask the same share one request.
 */
export function useGet<P extends PathsOf<'get'>>(
  path: P | null,
  options?: Asked<P>,
  config?: Config<Get<P>>,
): Result<Get<P>> {
  return useKept('', path, options, (asked) => (api.get as Fetch<Get<P>>)(asked, options), config);
}

/** A page of a list, as `limit` and `offset` of the query say, and how many rows there are. */
export function usePage<P extends PathsOf<'get'>>(
  path: P | null,
  options: Asked<P>,
  config?: Config<Counted<RowOf<Get<P>>>>,
): Result<Counted<RowOf<Get<P>>>> {
  return useKept('#page', path, options, (asked) => getPage(asked, options), config);
}

/** A whole list, however many pages it has. */
export function useAll<P extends PathsOf<'get'>>(
  path: P | null,
  options: Asked<P>,
  config?: Config<RowOf<Get<P>>[]>,
): Result<RowOf<Get<P>>[]> {
  return useKept('#all', path, options, (asked) => getAll(asked, options), config);
}

type Fetch<Data> = (path: string, options?: object) => Promise<Data>;

/** The cache's key is the address, so that {@link refresh} finds it; `form` tells apart what is made of one answer. */
function useKept<P extends PathsOf<'get'>, Data>(
  form: string,
  path: P | null,
  options: Asked<P> | undefined,
  ask: (path: P) => Promise<Data>,
  config: Config<Data> | undefined,
): Result<Data> {
  const key = path === null ? null : `${url(path, (options ?? {}) as Sent)}${form}`;
  return useSWR<Data, ApiError>(key, path === null ? null : () => ask(path), config);
}

/** Everything cached whose address starts like this is asked again: `refresh('/api/surveys')`. */
export function refresh(prefix: string): Promise<unknown> {
  return mutate((key) => typeof key === 'string' && key.startsWith(prefix));
}

/** Forgets what the last user saw. */
export function forgetAll(): Promise<unknown> {
  return mutate(() => true, undefined, { revalidate: false });
}
