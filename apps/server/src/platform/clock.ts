/** Where the service gets its time from: one clock, so that a test can move it. */
export type Clock = { now: () => Date };

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };
