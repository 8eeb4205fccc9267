import { useSyncExternalStore } from 'react';
import { localEntry } from '@/api/kept';

// What a newcomer has done that the server does not know; kept by the browser, for each user.

type Step = 'charts' | 'dismissed';

const listeners = new Set<() => void>();
const entryOf = (step: Step, user: number | null) => localEntry('first-run-', `${step}-${user ?? ''}`);

/** The user has read charts, or wants no more guidance. */
export function markFirstRun(step: Step, user: number | null): void {
  const entry = entryOf(step, user);
  if (entry.read() !== null) return;
  entry.write('yes');
  listeners.forEach((listener) => listener());
}

export const useFirstRun = (step: Step, user: number | null): boolean =>
  useSyncExternalStore(subscribe, () => entryOf(step, user).read() !== null);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
