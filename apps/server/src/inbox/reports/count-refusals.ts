import type { ErrorCode } from "@lodge/contract/errors";
import type pg from "pg";
import { lazyCounter } from "../../platform/database/lazy-counter.ts";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";

/** Sorted, so that concurrent processes do not deadlock. Does not flush, since a crash may lose a count. */
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

/** Counts refused reports without making requests wait. */
export type RefusalCounter = {
  /** Counts one refusal by app, key, code and day (UTC), without anything of its content. */
  add: (app: { id: string; keyId: string }, code: ErrorCode) => void;
  /** Counts items that a client reports as not sent, by a code that begins with `client_discarded`. */
  addLosses: (app: { id: string; keyId: string }, code: string, count: number) => void;
  /** Writes the counts so far. */
  flush: () => Promise<void>;
};

/** Counts refused reports in memory, and writes the counts once a second (`lazyCounter`). */
export function countRefusals({ pool, clock, log }: Pick<Deps, "clock" | "log"> & { pool: pg.Pool }): RefusalCounter {
  const counter = lazyCounter<{ app_id: string; key_id: string; code: string; day: string }>({
    clock,
    log,
    write: (refusals) => count(pool, { refusals: JSON.stringify(refusals) }),
  });
  const add = ({ id, keyId }: { id: string; keyId: string }, code: string, quantity: number) =>
    counter.add({ app_id: id, key_id: keyId, code }, quantity);
  return {
    add: (app, code) => {
      if (code !== "unavailable") add(app, code, 1); // the database is busy enough
    },
    addLosses: add,
    flush: counter.flush,
  };
}
