import { rateExceeded } from "./limit-rate.ts";

type Line = { running: number; waiting: (() => void)[] };

const retryAfterSeconds = 1;

/** Runs work when its turn comes. Throws `rate_limit_exceeded` if too much work of the same key waits already. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Limits the concurrent work of each key in this process to `atOnce`; up to `waitingMax` more wait, and run in their
 * order.
 */
export function takeTurns({ atOnce, waitingMax }: { atOnce: number; waitingMax: number }): Turns {
  const lines = new Map<string, Line>();

  return async (key, work) => {
    const line = lines.get(key) ?? { running: 0, waiting: [] };
    lines.set(key, line);
    if (line.running < atOnce) line.running++;
    else if (line.waiting.length >= waitingMax) throw rateExceeded(retryAfterSeconds);
    else await new Promise<void>((resolve) => line.waiting.push(resolve)); // finished work passes its place on
    try {
      return await work();
    } finally {
      const next = line.waiting.shift();
      if (next) next();
      else if (--line.running === 0) lines.delete(key);
    }
  };
}
