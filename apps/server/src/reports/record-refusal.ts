import type { ErrorCode } from "@lodge/contract/errors";
import { narrowed, preparedStatement } from "../platform/database/statements.ts";
import type { Deps } from "../platform/deps.ts";

/** A count that a crash may lose costs no flush. */
const count = preparedStatement({
  name: "record_refusal",
  parameters: { appId: "uuid", keyId: "uuid", code: narrowed<ErrorCode>("text"), now: "timestamptz" },
  row: {},
  text: ({
    appId,
    keyId,
    code,
    now,
  }) => `with lazy as materialized (select set_config('synchronous_commit', 'off', true))
  insert into refusals (app_id, sdk_key_id, code, day, count, last_at)
  select ${appId}, ${keyId}, ${code}, (${now} at time zone 'UTC')::date, 1, ${now} from lazy
  on conflict (app_id, day, sdk_key_id, code) do update set count = refusals.count + 1, last_at = excluded.last_at`,
});

/** Counts a refused report by app, key, code and day, without anything of its content. */
export async function recordRefusal(
  { pool, clock }: Deps,
  app: { id: string; keyId: string },
  code: ErrorCode,
): Promise<void> {
  if (code === "unavailable") return; // the database has enough to do
  await count(pool, { appId: app.id, keyId: app.keyId, code, now: clock.now() });
}
