import { vi } from 'vitest';
import type { Answer, PathsOf } from '@/api/client';
import { price } from './fixtures';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
interface Asked {
  params: Record<string, string>;
  query: URLSearchParams;
  body: unknown;
}
type Reply<Body> = Body | Response | Promise<Body | Response>;
type Handler = (asked: Asked) => Reply<unknown>;

/** Calls that no server of the running test declares. */
const undeclared: string[] = [];

/** The calls since the last look that no server declares; a test that makes one fails (`setup.ts`). */
export const takeUndeclaredCalls = (): string[] => undeclared.splice(0);

/** Answers a call that nobody declares, and remembers it. */
export function refuseUndeclared(method: string, path: string): Response {
  undeclared.push(`${method.toUpperCase()} ${path}`);
  return refusal(501, `the test declares no answer to ${method.toUpperCase()} ${path}`);
}

/**
 * Stands in for the API: answers typed like the real ones, and keeps what it was asked. A call that the test does not
 * declare fails it, save those of {@link declareDefaults}.
 */
export function mockServer() {
  const handlers = new Map<string, Handler>();
  const calls: {
    method: string;
    path: string;
    query: URLSearchParams;
    body: unknown;
    authorization: string | null;
  }[] = [];

  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname, searchParams } = new URL(request.url);
    const method = request.method.toLowerCase();
    const text = await request.text();
    // Files come as forms.
    const isForm = request.headers.get('Content-Type')?.startsWith('multipart/') ?? false;
    const body: unknown = text === '' ? undefined : isForm ? text : JSON.parse(text);
    calls.push({
      method,
      path: pathname,
      query: searchParams,
      body,
      authorization: request.headers.get('Authorization'),
    });
    // A path without parameters goes first: `/surveys/my-surveys` is no id of a survey.
    const isFixed = ([key]: [string, Handler]) => Number(!key.includes('{'));
    const known = [...handlers].sort((a, b) => isFixed(b) - isFixed(a));
    for (const [key, handler] of known) {
      const params = match(key, `${method} ${pathname}`);
      if (params === null) continue;
      const answer = await handler({ params, query: searchParams, body });
      return answer instanceof Response ? answer : Response.json(answer ?? {});
    }
    return refuseUndeclared(method, pathname);
  });

  const on =
    <M extends Method>(method: M) =>
    <P extends PathsOf<M>>(path: P, handler: (asked: Asked) => Reply<Answer<P, M>>) => {
      handlers.set(`${method} ${path}`, handler);
    };
  const server = {
    /** A call that fails without a word of the server's. */
    break: (method: Method, path: string) => handlers.set(`${method} ${path}`, () => refusal(500, '')),
    get: on('get'),
    post: on('post'),
    put: on('put'),
    patch: on('patch'),
    delete: on('delete'),
    calls,
    /** The bodies that a path was sent, oldest first. */
    sent: (method: Method, path: string) =>
      calls.filter((call) => call.method === method && call.path === path).map((call) => call.body),
  };
  declareDefaults(server.get);
  // The start dialog and the bar of a survey ask for its price.
  server.post('/api/surveys/{surveyId}/studies', () => price);
  return server;
}

type Declare = <P extends PathsOf<'get'>>(
  path: P,
  handler: (asked: Asked) => Reply<Answer<P, 'get'>>,
) => void;

/**
 * Calls that many pages make beside what they are about, with the answer of a lab where there is nothing to tell: a test
 * declares them again where it is about them.
 */
function declareDefaults(get: Declare): void {
  // The frame of every signed-in page watches for runs that end: nobody has any.
  get('/api/simulations', () => []);
  // The pages of a survey: it is written here, has no plan, no flow and no answers of people, and no profile leaks it.
  get('/api/surveys/{surveyId}/import-report', () => ({ import: null }));
  get('/api/surveys/{surveyId}/plans', () => []);
  get('/api/surveys/{surveyId}/design', () => ({ flow: [], tables: {}, hash: 'plain' }));
  get('/api/surveys/{surveyId}/human-samples', () => []);
  get('/api/surveys/{surveyId}/leaks', () => []);
  // The pages of a run: it deals no arms, has no diagnostics, and nobody has validated its twins.
  get('/api/simulations/{simulationId}/assignments', () => ({
    nodes: [],
    fields: [],
    personas: [],
    total: 0,
  }));
  get('/api/surveys/{surveyId}/simulation/{simulationId}/diagnostics', () => ({
    simulationId: '',
    diagnostics: [],
    notice: '',
    partial: false,
  }));
  get('/api/simulations/{simulationId}/trust', () => ({ canOpen: false }));
}

/** An answer that says no, as the API words it. */
export function refusal(statusCode: number, message: string, code = ''): Response {
  return Response.json({ statusCode, error: 'Refused', message, code }, { status: statusCode });
}

function match(template: string, address: string): Record<string, string> | null {
  const pattern = template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  const found = new RegExp(`^${pattern}$`).exec(address);
  return found === null ? null : { ...found.groups };
}
