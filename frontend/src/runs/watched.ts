import { refresh } from '@/api/hooks';
import { sessionEntry } from '@/api/kept';

// Which runs this tab knows of and has not told the end of. It outlasts a reload.

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

/** A run is under way: its end is told, unless {@link mute} said otherwise. */
export function watch(simulationId: string): void {
  const watched = read();
  if (!(simulationId in watched)) write({ ...watched, [simulationId]: true });
}

/** Somebody asks failed requests again, of a run of theirs or of another: how that ends is told. */
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

/** A run has ended: as what that is to be told, which it is once; null where it is not. */
export function consumeEndNotice(simulationId: string): 'run' | 'retry' | null {
  const { [simulationId]: told, ...others } = read();
  // A quiet one stays quiet, however often it is read.
  if (told === undefined || told === false) return null;
  write(others);
  return told === 'retry' ? told : 'run';
}
