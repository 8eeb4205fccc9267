import createClient, {
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
  type Middleware,
} from 'openapi-fetch';
import type { paths } from './schema';
import { signOut, token } from './session';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Client = typeof client;

/** The paths that answer to a method. */
export type PathsOf<M extends Method> = ClientPathsWithMethod<Client, M>;
/** What a call takes: `{ params: { path, query }, body }`. */
export type Options<P extends PathsOf<M>, M extends Method> = MaybeOptionalInit<paths[P], M>;
/** What a successful call answers with. */
export type Answer<P extends PathsOf<M>, M extends Method> = MethodResponse<Client, M, P>;

/** An answer of the server that says no, or none at all (`status` 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    /** The server's own words; empty when it said nothing. */
    readonly serverMessage: string,
  ) {
    super(serverMessage || (status === 0 ? 'The server cannot be reached' : `The server answered ${status}`));
  }
}

/** What to tell the user: the server's words, else `fallback`. */
export function messageOf(error: unknown, fallback: string): string {
  return (error instanceof ApiError && error.serverMessage) || fallback;
}

/** What a visitor may call: sent without a token, and a 401 there does not end a session. */
const OPEN: ReadonlySet<string> = new Set([
  '/api/auth/request-login',
  '/api/auth/verify-login',
  '/api/auth/request-group',
]);

const sessionMiddleware: Middleware = {
  onRequest({ request, schemaPath }) {
    const bearer = OPEN.has(schemaPath) ? null : token();
    if (bearer !== null) request.headers.set('Authorization', `Bearer ${bearer}`);
  },
  async onResponse({ response, schemaPath }) {
    if (response.ok) return;
    if (response.status === 401 && !OPEN.has(schemaPath)) signOut();
    throw new ApiError(response.status, await words(response));
  },
  onError: () => new ApiError(0, ''),
};

async function words(response: Response): Promise<string> {
  try {
    const body = (await response.json()) as { message?: unknown; error?: unknown };
    return typeof body.message === 'string' ? body.message : typeof body.error === 'string' ? body.error : '';
  } catch {
    return '';
  }
}

const client = createClient<paths, 'application/json'>({
  baseUrl: window.location.origin,
  // Looked up at each call: tests replace it.
  fetch: (request) => fetch(request),
});
client.use(sessionMiddleware);

/** The body of a call's answer. The middleware has thrown an {@link ApiError} for everything but success. */
const body =
  <Args extends unknown[], Reply extends { data?: unknown }>(call: (...args: Args) => Promise<Reply>) =>
  async (...args: Args): Promise<NonNullable<Reply['data']>> =>
    (await call(...args)).data as NonNullable<Reply['data']>;

export const api = {
  get: body(client.GET),
  post: body(client.POST),
  put: body(client.PUT),
  patch: body(client.PATCH),
  delete: body(client.DELETE),
};

/** One row of what a list answers with. */
export type RowOf<P extends PathsOf<'get'>> = Answer<P, 'get'> extends readonly (infer Row)[] ? Row : never;

/** A page of a list, and how many rows the whole list has. */
export interface Counted<Row> {
  rows: Row[];
  total: number;
}

/** The most rows that a list answers with at once. */
const LARGEST_PAGE = 500;

export async function getPage<P extends PathsOf<'get'>>(
  path: P,
  options: Options<P, 'get'>,
): Promise<Counted<RowOf<P>>> {
  const { data, response } = await client.GET(path, options as never);
  const rows = data as unknown as RowOf<P>[];
  const total = response.headers.get('X-Total-Count');
  return { rows, total: total === null ? rows.length : Number(total) };
}

/** A whole list, page by page: for lists that are short by nature, such as the groups of one person. */
export async function getAll<P extends PathsOf<'get'>>(
  path: P,
  options: Options<P, 'get'>,
): Promise<RowOf<P>[]> {
  const rows: RowOf<P>[] = [];
  for (;;) {
    const query = { limit: LARGEST_PAGE, offset: rows.length };
    const page = await getPage(path, { ...options, params: { ...options?.params, query } } as never);
    rows.push(...page.rows);
    if (page.rows.length === 0 || rows.length >= page.total) return rows;
  }
}
