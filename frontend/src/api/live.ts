import { polling, type Config } from './polling';

/** How often a run that moves is looked at. */
export const LIVE_MS = 2000;

/** How a table is asked for: again every two seconds while its run moves. */
export const live = <Data>(moving: boolean): Config<Data> => (moving ? polling(LIVE_MS, () => true) : {});
