import { refresh } from '@/api/hooks';

// Which runs this tab knows of and has not told the end of. It outlasts a reload.

const KEY = 'watched-runs';

/** By the id of the run: whether its end is told. */
type Watched = Record<string, boolean>;

function read(): Watched {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Watched;
  } catch {
    return {};
  }
}

const write = (watched: Watched) => sessionStorage.setItem(KEY, JSON.stringify(watched));

/** A run is under way: its end is told, unless {@link keepQuiet} said otherwise. */
export function watch(simulationId: string): void {
  const watched = read();
  if (!(simulationId in watched)) write({ ...watched, [simulationId]: true });
}

/** Somebody started runs here. They may be over before the list of runs is read again. */
export function startedHere(...simulationIds: string[]): void {
  simulationIds.forEach(watch);
  void refresh('/api/simulations');
}

/** A run that nobody waits for on other pages. */
export function keepQuiet(simulationId: string): void {
  write({ ...read(), [simulationId]: false });
}

export const isQuiet = (simulationId: string): boolean => read()[simulationId] === false;

/** A run has ended: whether that is to be told, which it is once. */
export function takeEnd(simulationId: string): boolean {
  const { [simulationId]: told, ...others } = read();
  // A quiet one stays quiet, however often it is read.
  if (told !== true) return false;
  write(others);
  return true;
}
