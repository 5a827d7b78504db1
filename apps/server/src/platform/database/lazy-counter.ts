import type { Clock } from "../clock.ts";

const spacingMs = 1_000;
/** Keys of one second: what comes beyond it is not counted. */
const countersMax = 10_000;

/** A log, as far as this needs one. */
type Log = { warn: (fields: object, message: string) => void };

type Counter<Key> = Key & { count: number; last_at: Date };

/** Counts in memory, and writes the counts down once a second. */
export type LazyCounter<Key> = {
  add: (key: Omit<Key, "day">, count: number) => void;
  /** Writes down what was counted so far. */
  flush: () => Promise<void>;
};

/**
 * Counts by key and day (UTC) in memory, and has `write` add the counts once a second: a crowd costs the database one
 * statement a second for each process. A crash or an outage costs at most a second of counts.
 */
export function lazyCounter<Key extends Record<string, string> & { day: string }>({
  clock,
  log,
  write,
}: {
  clock: Clock;
  log: Log;
  write: (counters: Counter<Key>[]) => Promise<unknown>;
}): LazyCounter<Key> {
  let counters = new Map<string, Counter<Key>>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const writeDown = async () => {
    timer = undefined;
    const counted = [...counters.values()];
    counters = new Map();
    if (counted.length === 0) return;
    await write(counted).catch((error: unknown) =>
      log.warn({ err: error, counters: counted.length }, "what was counted could not be written down"),
    );
  };

  return {
    add: (named, count) => {
      const now = clock.now();
      const key = { ...named, day: now.toISOString().slice(0, 10) } as Key;
      const id = JSON.stringify(key);
      const counter = counters.get(id);
      if (counter) {
        counter.count += count;
        counter.last_at = now;
      } else if (counters.size < countersMax) {
        counters.set(id, { ...key, count, last_at: now });
      }
      timer ??= setTimeout(() => {
        writing = writing.then(writeDown);
      }, spacingMs);
    },
    flush: () => {
      clearTimeout(timer);
      writing = writing.then(writeDown);
      return writing;
    },
  };
}
