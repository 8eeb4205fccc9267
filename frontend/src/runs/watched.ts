import { refresh } from '@/api/hooks';
import { sessionEntry } from '@/api/kept';

// The runs that this tab watches until it has reported their end. They outlast a reload.

const WATCHED = sessionEntry('watched-runs');

/** Whether the end of each run is reported, by id. `retry`: as the end of failed requests that were asked again. */
type Watched = Record<string, boolean | 'retry'>;

function read(): Watched {
  try {
    return JSON.parse(WATCHED.read() ?? '{}') as Watched;
  } catch {
    return {};
  }
}

const write = (watched: Watched) => WATCHED.write(JSON.stringify(watched));

/** Watches a run that is under way: its end is reported, unless it is muted by {@link mute}. */
export function watch(simulationId: string): void {
  const watched = read();
  if (!(simulationId in watched)) write({ ...watched, [simulationId]: true });
}

/** Watches a run whose failed requests are asked again, also one of another user: its end is reported. */
export function watchRetry(simulationId: string): void {
  write({ ...read(), [simulationId]: 'retry' });
}

/** Whether a run asks failed requests again because somebody said so here. */
export const isRetried = (simulationId: string): boolean => read()[simulationId] === 'retry';

/** Somebody started runs here. They may be over before the list of runs is read again. */
export function startedHere(...simulationIds: string[]): void {
  simulationIds.forEach(watch);
  void refresh('/api/simulations');
}

/** A run that nobody waits for on other pages. */
export function mute(simulationId: string): void {
  write({ ...read(), [simulationId]: false });
}

export const isMuted = (simulationId: string): boolean => read()[simulationId] === false;

/** Takes the notice of a run that has ended, once: as a run or as a retry; null where none is due. */
export function consumeEndNotice(simulationId: string): 'run' | 'retry' | null {
  const { [simulationId]: notice, ...others } = read();
  // A quiet one stays quiet, however often it is read.
  if (notice === undefined || notice === false) return null;
  write(others);
  return notice === 'retry' ? notice : 'run';
}
