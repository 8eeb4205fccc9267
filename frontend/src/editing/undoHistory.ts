/** Changes of the same thing within this time are one step. */
const STEP_MS = 1000;
/** Changes that can be taken back. */
const MAX_STEPS = 200;

/** Steps that can be taken back, and those that can be done again; the next one to take is the last of its list. */
export interface UndoHistory<Step> {
  past: readonly Step[];
  future: readonly Step[];
  /** The latest change: its time, and what it changed. An empty key joins no other change. */
  latest: { at: number; key: string };
}

export const emptyHistory = <Step>(): UndoHistory<Step> => ({
  past: [],
  future: [],
  latest: { at: 0, key: '' },
});

/** Adds a step. A step with the key of the latest one, soon after it, becomes one step with it. */
export function recordStep<Step>(
  { past, latest }: UndoHistory<Step>,
  step: Step,
  { key, join, at = Date.now() }: { key: string; join: (first: Step, then: Step) => Step; at?: number },
): UndoHistory<Step> {
  const last = past.at(-1);
  const joins = last !== undefined && key !== '' && key === latest.key && at - latest.at < STEP_MS;
  return {
    past: (joins ? [...past.slice(0, -1), join(last, step)] : [...past, step]).slice(-MAX_STEPS),
    future: [],
    latest: { at, key },
  };
}

/** Takes the last step back, or does it again; `null` where there is none. */
export function takeStep<Step>(
  { past, future }: UndoHistory<Step>,
  isBack: boolean,
): { step: Step; history: UndoHistory<Step> } | null {
  const step = isBack ? past.at(-1) : future.at(-1);
  if (step === undefined) return null;
  const history = isBack
    ? { past: past.slice(0, -1), future: [...future, step] }
    : { past: [...past, step], future: future.slice(0, -1) };
  return { step, history: { ...emptyHistory<Step>(), ...history } };
}
