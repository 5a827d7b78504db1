import type { ErrorCode } from "@lodge/contract/errors";
import { preparedStatement } from "../platform/database/database.ts";
import type { Deps } from "../platform/deps.ts";

/** A count that a crash may lose costs no flush. */
const count = preparedStatement(
  "record_refusal",
  `with lazy as materialized (select set_config('synchronous_commit', 'off', true))
  insert into refusals (app_id, sdk_key_id, code, day, count, last_at)
  select $1, $2, $3, ($4::timestamptz at time zone 'UTC')::date, 1, $4 from lazy
  on conflict (app_id, day, sdk_key_id, code) do update set count = refusals.count + 1, last_at = excluded.last_at`,
);

/** Counts a refused report by app, key, code and day, without anything of its content. */
export async function recordRefusal(
  { pool, clock }: Deps,
  app: { id: string; keyId: string },
  code: ErrorCode,
): Promise<void> {
  if (code === "unavailable") return; // the database would be asked that has just failed
  await count(pool, [app.id, app.keyId, code, clock.now()]);
}
