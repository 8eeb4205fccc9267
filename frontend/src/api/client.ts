import type { paths } from './schema';
import { signOut, token } from './session';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Json<Holder> = Holder extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The paths that answer to a method. */
export type PathsOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];

type OperationOf<P extends keyof paths, M extends Method> =
  paths[P] extends Record<M, infer Operation> ? Operation : never;

type Responses<Operation> = Operation extends { responses: infer R } ? R : never;
export type Answer<P extends keyof paths, M extends Method> = Json<
  Responses<OperationOf<P, M>>[keyof Responses<OperationOf<P, M>> & (200 | 201 | 202)]
>;

type Present<Name extends string, Value> = [Value] extends [never | undefined]
  ? unknown
  : Record<Name, Value>;
type PathOf<Operation> = Operation extends { parameters: { path: infer Path } } ? Path : never;
type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } } ? Query : never;
type ContentOf<Operation> = Operation extends { requestBody?: infer Body }
  ? NonNullable<Body> extends { content: infer Content }
    ? Content
    : never
  : never;
type BodyOf<Operation> =
  ContentOf<Operation> extends { 'application/json': infer Body }
    ? Body
    : ContentOf<Operation> extends { 'multipart/form-data': unknown }
      ? FormData
      : never;

export type Options<P extends keyof paths, M extends Method> = Present<'path', PathOf<OperationOf<P, M>>> &
  Present<'body', BodyOf<OperationOf<P, M>>> & {
    query?: QueryOf<OperationOf<P, M>>;
    headers?: Record<string, string>;
  };

/** The options may be left out where none of them is needed. */
type Rest<Wanted> = Record<never, never> extends Wanted ? [options?: Wanted] : [options: Wanted];

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

const call =
  <M extends Method>(method: M) =>
  async <P extends PathsOf<M>>(path: P, ...rest: Rest<Options<P, M>>): Promise<Answer<P, M>> => {
    const response = await send(method, path, (rest[0] ?? {}) as Sent);
    return (response.status === 204 ? undefined : await response.json()) as Answer<P, M>;
  };

export const api = {
  get: call('get'),
  post: call('post'),
  put: call('put'),
  patch: call('patch'),
  delete: call('delete'),
};

/** One row of what a list answers with. */
export type RowOf<List> = List extends readonly (infer Row)[] ? Row : never;

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
): Promise<Counted<RowOf<Answer<P, 'get'>>>> {
  const response = await send('get', path, options as Sent);
  const rows = (await response.json()) as RowOf<Answer<P, 'get'>>[];
  const told = response.headers.get('X-Total-Count');
  return { rows, total: told === null ? rows.length : Number(told) };
}

/** A whole list, page by page: for lists that are short by nature, such as the groups of one person. */
export async function getAll<P extends PathsOf<'get'>>(
  path: P,
  options: Options<P, 'get'>,
): Promise<RowOf<Answer<P, 'get'>>[]> {
  const rows: RowOf<Answer<P, 'get'>>[] = [];
  for (;;) {
    const query = { ...(options as Sent).query, limit: LARGEST_PAGE, offset: rows.length };
    const page = await getPage(path, { ...options, query } as Options<P, 'get'>);
    rows.push(...page.rows);
    if (page.rows.length === 0 || rows.length >= page.total) return rows;
  }
}

export interface Sent {
  path?: Record<string, string | number>;
  query?: Record<string, string | number | boolean | undefined> | undefined;
  body?: unknown;
  headers?: Record<string, string> | undefined;
}

/** What a visitor may call: sent without a token, and a 401 there is an answer, not the end of a session. */
const OPEN: ReadonlySet<string> = new Set([
  '/api/auth/request-login',
  '/api/auth/verify-login',
  '/api/auth/request-group',
]);

/** One request with the token; throws an {@link ApiError} for everything but success. */
export async function send(method: Method, template: string, sent: Sent): Promise<Response> {
  const headers = new Headers(sent.headers);
  const bearer = OPEN.has(template) ? null : token();
  if (bearer !== null) headers.set('Authorization', `Bearer ${bearer}`);
  const form = sent.body instanceof FormData;
  if (sent.body !== undefined && !form) headers.set('Content-Type', 'application/json');
  let response: Response;
  try {
    response = await fetch(url(template, sent), {
      method: method.toUpperCase(),
      headers,
      body: form ? (sent.body as FormData) : sent.body === undefined ? null : JSON.stringify(sent.body),
    });
  } catch {
    throw new ApiError(0, '');
  }
  if (response.ok) return response;
  if (response.status === 401 && !OPEN.has(template)) signOut();
  throw new ApiError(response.status, await words(response));
}

/** `/api/surveys/{id}` with its blanks filled. */
export function url(template: string, { path = {}, query = {} }: Sent): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const asked = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(asked.map(([name, value]) => [name, String(value)])).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

async function words(response: Response): Promise<string> {
  try {
    const body = (await response.json()) as { message?: unknown; error?: unknown };
    return typeof body.message === 'string' ? body.message : typeof body.error === 'string' ? body.error : '';
  } catch {
    return '';
  }
}
