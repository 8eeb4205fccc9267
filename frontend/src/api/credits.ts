/** The mail of low credits is sent below this, too. */
const LOW = 100;

/** Whether so few credits are left that somebody should know. */
export const isLow = (available: number) => available < LOW;
