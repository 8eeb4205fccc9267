import { vi } from 'vitest';
import type { Answer, PathsOf } from '@/api/client';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
interface Asked {
  params: Record<string, string>;
  query: URLSearchParams;
  body: unknown;
}
type Reply<Body> = Body | Response | Promise<Body | Response>;
type Handler = (asked: Asked) => Reply<unknown>;

/**
 * Stands in for the API: answers typed like the real ones, keeps what it was asked, and fails the test that asks
 * something it was not told of.
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
    return refusal(501, `the test's server does not know ${method} ${pathname}`);
  });

  // Every signed-in page looks for runs that end.
  handlers.set('get /api/simulations', () => []);
  handlers.set('get /api/surveys/{surveyId}/plans', () => []);
  handlers.set('get /api/surveys/{surveyId}/import-report', () => ({ import: null }));
  // Nobody keeps answers of people, or owns a survey that the test has not.
  handlers.set('get /api/surveys/{surveyId}/human-samples', () => []);
  handlers.set('get /api/surveys/{surveyId}', () => refusal(404, 'Survey not found'));
  // Every survey is a plain one, and so is every run.
  handlers.set('get /api/simulations/{simulationId}/assignments', () => ({
    nodes: [],
    fields: [],
    personas: [],
    total: 0,
  }));
  handlers.set('get /api/surveys/{surveyId}/simulation/{simulationId}/diagnostics', () => ({
    simulationId: '',
    diagnostics: [],
    notice: '',
    partial: false,
  }));
  // Nobody has validated the twins, and no profile holds what a survey asks.
  handlers.set('get /api/simulations/{simulationId}/trust', () => ({ canOpen: false }));
  handlers.set('get /api/surveys/{surveyId}/leaks', () => []);
  handlers.set('get /api/surveys/{surveyId}/design', () => ({ flow: [], tables: {}, hash: 'plain' }));

  const on =
    <M extends Method>(method: M) =>
    <P extends PathsOf<M>>(path: P, handler: (asked: Asked) => Reply<Answer<P, M>>) => {
      handlers.set(`${method} ${path}`, handler);
    };
  return {
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
