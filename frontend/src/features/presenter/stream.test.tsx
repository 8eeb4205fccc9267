import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { readEvents } from '@/api/events';
import type { ResultSummary, Simulation } from '@/api/types';
import { run } from '@/testing/fixtures';
import { signInAs, visit } from '@/testing/render';
import { mockServer } from '@/testing/server';
import { holm, untested } from '@/testing/summaries';

const EVENTS = '/api/simulations/{simulationId}/events';

/** A stream whose pieces are sent by hand. */
function stream() {
  let pieces: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => (pieces = controller) });
  return {
    response: () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }),
    send: (text: string) => pieces?.enqueue(new TextEncoder().encode(text)),
    end: () => pieces?.close(),
  };
}

it('an event counts once it is whole, and comments are none', async () => {
  signInAs('user');
  const server = mockServer();
  const wire = stream();
  server.get(EVENTS, () => wire.response() as never);
  let events = 0;
  const over = readEvents(run.simulationId, () => (events += 1), new AbortController().signal);
  wire.send('event: progress\ndata: {"a"');
  wire.send(': 1}\n');
  wire.send(': still there\n\n');
  await waitFor(() => expect(events).toBe(1));
  wire.send(': still there\n\n');
  wire.send('event: progress\ndata: {}\n\n');
  await waitFor(() => expect(events).toBe(2));
  wire.end();
  await over;
});

it('the wall is drawn again when the stream says so, and asks by itself only without one', async () => {
  signInAs('user');
  const server = mockServer();
  const wire = stream();
  let status: Simulation['status'] = 'RUNNING';
  server.get('/api/simulations/{simulationId}', () => ({ ...run, status }) as never);
  server.get(EVENTS, () => wire.response() as never);
  const summary: ResultSummary = {
    simulationId: run.simulationId,
    by: null,
    where: [],
    n: 10,
    notice: '',
    partial: true,
    attributes: [],
    arms: [],
    positions: false,
    rule: holm,
    attributeValues: [],
    groups: [],
    questions: [
      {
        questionId: 1,
        order: 1,
        text: 'Why?',
        questionType: 'TEXT_ENTRY',
        ...untested,
        texts: [],
        n: 1,
        counts: [],
        rows: [],
        bins: [],
        groups: [],
      },
    ],
  };
  server.get('/api/surveys/{surveyId}/simulation/{simulationId}/summary', () => summary);
  visit(`/simulation-responses/${run.surveyId}/${run.simulationId}/present`);
  expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent('Why?');
  const summaries = () => server.calls.filter(({ path }) => path.endsWith('/summary')).length;
  wire.send('event: progress\ndata: {}\n\n');
  const before = summaries();
  await waitFor(() => expect(summaries()).toBe(before + 1));
  status = 'COMPLETED';
  wire.end();
  await waitFor(() => expect(summaries()).toBe(before + 2));
});
