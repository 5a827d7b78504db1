import type { ErrorCode } from "@lodge/contract/errors";
import type pg from "pg";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";

const spacingMs = 1_000;
/** Apps, keys and codes of one second: what comes beyond it is not counted. */
const countersMax = 10_000;

/** In one order, so that processes never wait for each other in a circle. A count that a crash may lose costs no flush. */
const count = preparedStatement({
  name: "record_refusals",
  parameters: { refusals: "json" },
  row: {},
  text: ({ refusals }) => `with lazy as materialized (select set_config('synchronous_commit', 'off', true))
  insert into refusals (app_id, sdk_key_id, code, day, count, last_at)
  select app_id, key_id, code, day, refused.count, refused.last_at
  from lazy, json_to_recordset(${refusals}) refused (app_id uuid, key_id uuid, code text, day date, count bigint, last_at timestamptz)
  join apps on apps.id = app_id
  order by app_id, day, key_id, code
  on conflict (app_id, day, sdk_key_id, code)
  do update set count = refusals.count + excluded.count, last_at = greatest(refusals.last_at, excluded.last_at)`,
});

type Counter = { app_id: string; key_id: string; code: ErrorCode; day: string; count: number; last_at: Date };

/** Counts refused reports, without making anybody wait for it. */
export type RefusalCounter = {
  /** Counts one by app, key, code and day (UTC), without anything of its content. */
  add: (app: { id: string; keyId: string }, code: ErrorCode) => void;
  /** Writes down what was counted so far. */
  flush: () => Promise<void>;
};

/**
 * Counts refused reports in memory, and writes the counts down once a second: a crowd that is refused costs the database
 * one statement a second for each process. What a crash or an outage takes with it is a second of counts.
 */
export function countRefusals({ pool, clock, log }: Pick<Deps, "clock" | "log"> & { pool: pg.Pool }): RefusalCounter {
  let counters = new Map<string, Counter>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const write = async () => {
    timer = undefined;
    const counted = [...counters.values()];
    counters = new Map();
    if (counted.length === 0) return;
    await count(pool, { refusals: JSON.stringify(counted) }).catch((error: unknown) =>
      log.warn({ err: error, refusals: counted.length }, "refused reports could not be counted"),
    );
  };

  return {
    add: ({ id, keyId }, code) => {
      if (code === "unavailable") return; // the database has enough to do
      const now = clock.now();
      const day = now.toISOString().slice(0, 10);
      const key = `${keyId} ${code} ${day}`;
      const counter = counters.get(key);
      if (counter) {
        counter.count++;
        counter.last_at = now;
      } else if (counters.size < countersMax) {
        counters.set(key, { app_id: id, key_id: keyId, code, day, count: 1, last_at: now });
      }
      timer ??= setTimeout(() => {
        writing = writing.then(write);
      }, spacingMs);
    },
    flush: () => {
      clearTimeout(timer);
      writing = writing.then(write);
      return writing;
    },
  };
}
