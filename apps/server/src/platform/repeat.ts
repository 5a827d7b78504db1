import { setTimeout as sleep } from "node:timers/promises";

/** Something that goes on until it is stopped; `stop` returns when the last time has come to its end. */
export type Repeating = { stop: () => Promise<void> };

/** Does something again and again, so many milliseconds after the last time has ended. Its errors go to `failed`. */
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
