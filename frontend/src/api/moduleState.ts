/** Sets the variables of one module back to what they were when the page was loaded. */
type Reset = () => void;

const resets: Reset[] = [];

/**
 * The variables of a module that change while the page is open, as one object. ESLint forbids module variables outside of
 * it, so that {@link resetModuleState} finds all of them.
 */
export function moduleState<State extends object>(initial: State): State {
  const state = { ...initial };
  resets.push(() => Object.assign(state, initial));
  return state;
}

/** Sets all module state back, as a reload of the page does. Tests share their modules and call it after each test. */
export function resetModuleState(): void {
  resets.forEach((reset) => reset());
}
