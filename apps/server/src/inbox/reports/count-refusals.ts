import type { ErrorCode } from "@lodge/contract/errors";
import type pg from "pg";
import { lazyCounter } from "../../platform/database/lazy-counter.ts";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";

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

/** Counts refused reports, without making anybody wait for it. */
export type RefusalCounter = {
  /** Counts one by app, key, code and day (UTC), without anything of its content. */
  add: (app: { id: string; keyId: string }, code: ErrorCode) => void;
  /** Counts what a client says that it has not sent, by a code that begins with `client_discarded`. */
  addLosses: (app: { id: string; keyId: string }, code: string, count: number) => void;
  /** Writes down what was counted so far. */
  flush: () => Promise<void>;
};

/** Counts refused reports in memory, and writes the counts down once a second (`lazyCounter`). */
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
      if (code !== "unavailable") add(app, code, 1); // the database has enough to do
    },
    addLosses: add,
    flush: counter.flush,
  };
}
