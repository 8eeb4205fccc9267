import { useSyncExternalStore } from 'react';
import { moduleState } from './moduleState';

// Whether the server, or the database behind it, is away.

const state = moduleState<{ words: string | null }>({ words: null });
const listeners = new Set<() => void>();

function tell(next: string | null): void {
  if (state.words === next) return;
  state.words = next;
  listeners.forEach((listener) => listener());
}

/** A question was answered: nothing is away. */
export const answered = () => tell(null);

/** A question could not be answered, and why. */
export const unanswered = (why: string) => tell(why);

/** Why nothing can be asked at the moment; `null` while all is well. */
export function useOutage(): string | null {
  return useSyncExternalStore(subscribe, () => state.words);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
