import { render } from '@testing-library/react';
import { SWRConfig } from 'swr';
import { expect, it } from 'vitest';
import { pass, stopClock } from '@/testing/clock';
import { PRODUCT_DEDUPING_MS } from '@/testing/render';
import { mockServer } from '@/testing/server';
import { useGet } from './hooks';
import { polling } from './polling';

const LIST = '/api/simulations';

/** A part of a page that asks every second. */
function Watcher() {
  useGet(
    LIST,
    {},
    polling(1000, () => true),
  );
  return null;
}

it.each([0.1, 0.3, 0.7, 0.9])(
  'two parts of a page that watch the same, the second from %d s on, ask once in an interval',
  async (later) => {
    const server = mockServer();
    server.get(LIST, () => []);
    stopClock();
    const cache = new Map();
    // Nothing that the first hangs on changes: rendered anew, it would fall into step with the second.
    const config = { provider: () => cache, dedupingInterval: PRODUCT_DEDUPING_MS };
    const first = <Watcher />;
    const page = (both: boolean) => (
      <SWRConfig value={config}>
        {first}
        {both && <Watcher />}
      </SWRConfig>
    );
    const { rerender } = render(page(false));
    await pass(later);
    rerender(page(true));
    await pass(1);
    const before = server.sent('get', LIST).length;
    await pass(20);
    expect(server.sent('get', LIST).length - before).toBe(20);
  },
);
