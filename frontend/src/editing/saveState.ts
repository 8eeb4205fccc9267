import { useState } from 'react';
import { ApiError, messageOf } from '@/api/client';
import { timeOfDay } from '@/ui/format';

/** The state of the latest change. */
export type SaveState =
  | { kind: 'untouched' }
  | { kind: 'saving' }
  | { kind: 'saved'; at: Date }
  | { kind: 'failed'; reason: string };

/** `Saved 14:03`, `Not saved: the server is away`. */
export function saveStateText(state: SaveState): string {
  if (state.kind === 'saving') return 'Saving…';
  if (state.kind === 'saved') return `Saved ${timeOfDay(state.at)}`;
  return state.kind === 'failed' ? `Not saved: ${state.reason}` : '';
}

/** The reason why a call failed, in a few words. */
export function reasonOf(failure: unknown): string {
  if (failure instanceof ApiError && failure.status === 0) return failure.message;
  return messageOf(failure, 'the server could not save it');
}

/** A save state, and a function that keeps it up to date while a call saves something. */
export function useSaveState() {
  const [state, setState] = useState<SaveState>({ kind: 'untouched' });
  const withSaveState = async <Result>(task: () => Promise<Result>): Promise<Result> => {
    setState({ kind: 'saving' });
    try {
      const result = await task();
      setState({ kind: 'saved', at: new Date() });
      return result;
    } catch (failure) {
      setState({ kind: 'failed', reason: reasonOf(failure) });
      throw failure;
    }
  };
  return { state, setState, withSaveState };
}
