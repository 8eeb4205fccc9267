import { act } from '@testing-library/react';
import { vi } from 'vitest';

/** Takes the clock out of the test's hands: from here time passes only by {@link pass}. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
}

/** Lets so many seconds go by, with everything that is due in them. */
export async function pass(seconds: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(seconds * 1000));
}

/** Lets time go by, a little at a time, until something is the case; pages are loaded on the way. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await pass(0.01);
    await new Promise(setImmediate);
  }
}
