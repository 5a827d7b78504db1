import type { Clock } from "../clock.ts";

const spacingMs = 1_000;
/** The most keys per second. Others are not counted. */
const countersMax = 10_000;

/** The part of a log that this module needs. */
type Log = { warn: (fields: object, message: string) => void };

type Counter<Key> = Key & { count: number; last_at: Date };

/** Counts in memory, and writes the counts to the database once a second. */
export type LazyCounter<Key> = {
  add: (key: Omit<Key, "day">, count: number) => void;
  /** Writes the counts so far. */
  flush: () => Promise<void>;
};

/**
 * Counts by key and day (UTC) in memory, and calls `write` with the counts once a second, so that any load costs the
 * database one statement a second per process. A crash or outage loses at most a second of counts.
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
      log.warn({ err: error, counters: counted.length }, "counts could not be written"),
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
