import { api } from './client';

/**
 * Reads a run's event stream, with the caller's token, which the browser's `EventSource` cannot send. Calls `onEvent` at each
 * event; resolves at the end of the stream, which comes with the end of the run.
 */
export async function readEvents(
  simulationId: string,
  onEvent: () => void,
  signal: AbortSignal,
): Promise<void> {
  const stream = (await api.get('/api/simulations/{simulationId}/events', {
    params: { path: { simulationId } },
    parseAs: 'stream',
    signal,
  })) as unknown as ReadableStream<Uint8Array>;
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    // An empty line ends an event; a comment keeps the connection open.
    const events = rest.split('\n\n');
    rest = events.pop() ?? '';
    if (events.some((event) => event.startsWith('event:') || event.startsWith('data:'))) onEvent();
  }
}
