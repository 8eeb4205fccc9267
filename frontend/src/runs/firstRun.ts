import { useSyncExternalStore } from 'react';

// What a newcomer has done that the server does not know; kept by the browser, for each user.

type Step = 'charts' | 'dismissed';

const listeners = new Set<() => void>();
const keyOf = (step: Step, user: number | null) => `first-run-${step}-${user ?? ''}`;

/** The user has read charts, or wants no more guidance. */
export function markFirstRun(step: Step, user: number | null): void {
  if (localStorage.getItem(keyOf(step, user)) !== null) return;
  localStorage.setItem(keyOf(step, user), 'yes');
  listeners.forEach((listener) => listener());
}

export const useFirstRun = (step: Step, user: number | null): boolean =>
  useSyncExternalStore(subscribe, () => localStorage.getItem(keyOf(step, user)) !== null);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
