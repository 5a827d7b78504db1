import { setTimeout as sleep } from "node:timers/promises";

/** Periodic work; `stop` resolves when its last run has ended. */
export type Repeating = { stop: () => Promise<void> };

/** Runs work periodically, with a pause after each run. Errors go to `failed`. */
export function repeat(pauseMs: number, work: () => Promise<void>, failed: (error: unknown) => void): Repeating {
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      await work().catch(failed);
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
