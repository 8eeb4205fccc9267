import createClient, {
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
  type Middleware,
} from 'openapi-fetch';
import type { paths } from './schema';
import { answered, unanswered } from './outage';
import { endSession, signOut, token } from './session';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Client = typeof client;

/** The paths that answer to a method. */
export type PathsOf<M extends Method> = ClientPathsWithMethod<Client, M>;
/** The options of a call: `{ params: { path, query }, body }`. */
export type Options<P extends PathsOf<M>, M extends Method> = MaybeOptionalInit<paths[P], M>;
/** The answer of a successful call. */
export type Answer<P extends PathsOf<M>, M extends Method> = MethodResponse<Client, M, P>;

/** An answer of the server that says no, or none at all (`status` 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    /** The server's own words; empty when it said nothing. */
    readonly serverMessage: string,
    /** The error's code for programs; stays the same when the words change. */
    readonly code = '',
    /** The whole answer: some errors say more. */
    readonly body: Readonly<Record<string, unknown>> = {},
  ) {
    super(serverMessage || (status === 0 ? 'The server cannot be reached' : `The server answered ${status}`));
  }
}

/** Whether the server answered 400, 403 or 404, for which pages show “not found”. */
export function isMissing(error: ApiError | undefined): boolean {
  return error !== undefined && [400, 403, 404].includes(error.status);
}

/** The message for the user: the server's words, else `fallback`. */
export function messageOf(error: unknown, fallback: string): string {
  return (error instanceof ApiError && nameFields(error.serverMessage)) || fallback;
}

/** A sentence of the product's, and the server's reason after it: `Failed to create group: the name is taken`. */
export function failed(sentence: string, error: unknown): string {
  const reason = reasonOf(error);
  if (reason === '') return sentence;
  return sentence.endsWith('.') ? `${sentence} ${capital(reason)}` : `${sentence}: ${uncapital(reason)}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError)) return '';
  return error.status === 0 ? error.message : nameFields(error.serverMessage);
}

const PARTS: Record<string, string> = {
  options: 'Option',
  sub_questions: 'Sub-question',
  scale_labels: 'Scale label',
};

/** `options[1]: ..` is what a form calls Option 2. Places in a file (`questions[3].options[1]`) stay as they are. */
const nameFields = (message: string) =>
  message.replace(
    /(?<![.\w])(options|sub_questions|scale_labels)\[(\d+)\]/g,
    (_, list: string, place: string) => `${PARTS[list] ?? list} ${Number(place) + 1}`,
  );

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
/** Abbreviations stay as they are. */
const uncapital = (text: string) =>
  /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

/** The calls of visitors: sent without a token, and a 401 there does not end a session. */
const OPEN: ReadonlySet<string> = new Set([
  '/api/auth/request-login',
  '/api/auth/verify-login',
  '/api/auth/request-group',
]);

const sessionMiddleware: Middleware = {
  onRequest({ request, schemaPath }) {
    const bearer = OPEN.has(schemaPath) ? null : token();
    if (bearer !== null && !request.headers.has('Authorization'))
      request.headers.set('Authorization', `Bearer ${bearer}`);
  },
  async onResponse({ request, response, schemaPath }) {
    if (response.ok) {
      answered();
      return;
    }
    const error = await errorFrom(response);
    if (error.status === 401 && !OPEN.has(schemaPath)) {
      // Not the session that began since.
      if (request.headers.get('Authorization') === `Bearer ${token()}`) endSession();
    }
    // A change that is refused says so where it was made.
    if (error.status === 503 && request.method === 'GET') unanswered(error.message);
    throw error;
  },
  onError({ request }) {
    const error = new ApiError(0, '');
    if (request.method === 'GET') unanswered(error.message);
    return error;
  },
};

async function errorFrom(response: Response): Promise<ApiError> {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  try {
    const said = (await response.json()) as Record<string, unknown>;
    const { message, error, code } = said;
    return new ApiError(
      response.status,
      stripFieldPath(typeof message === 'string' ? message : text(error)),
      text(code),
      said,
    );
  } catch {
    return new ApiError(response.status, '');
  }
}

/** A message without the name that a field has on the wire: `min_value: Minimum value must be ..`. */
const stripFieldPath = (message: string) => message.replace(/^(?:[a-z]\w*(?:\[\d+\])?\.?)+: /, '');

/** Values of lists one by one: `where=a&where=b`, `attributes[Gender]=Female&attributes[Gender]=Male`. */
function queryOf(query: Readonly<Record<string, unknown>>): string {
  const params = new URLSearchParams();
  const append = (name: string, value: unknown): void => {
    if (value === undefined || value === null) return;
    if (Array.isArray(value)) value.forEach((each) => append(name, each));
    else if (typeof value === 'object')
      Object.entries(value).forEach(([key, each]) => append(`${name}[${key}]`, each));
    else params.append(name, String(value as string | number | boolean));
  };
  Object.entries(query).forEach(([name, value]) => append(name, value));
  return params.toString();
}

const client = createClient<paths, 'application/json'>({
  baseUrl: window.location.origin,
  querySerializer: queryOf,
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

/** Ends the session on the server too; this machine does not wait for that. */
export function leave(): void {
  const bearer = token();
  if (bearer !== null) {
    const headers = { Authorization: `Bearer ${bearer}` };
    // Without an answer the session ends when its token does.
    api.post('/api/auth/logout', { headers, keepalive: true }).catch(() => undefined);
  }
  signOut();
}

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
    const params = (options as { params?: { query?: object } } | undefined)?.params;
    const query = { ...params?.query, limit: LARGEST_PAGE, offset: rows.length };
    const page = await getPage(path, { ...options, params: { ...params, query } } as never);
    rows.push(...page.rows);
    if (page.rows.length === 0 || rows.length >= page.total) return rows;
  }
}
