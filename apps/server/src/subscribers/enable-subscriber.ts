import type pg from "pg";
import { OperatorError } from "../platform/errors.ts";
import { wakeSubscribersSql } from "./wake-subscribers.ts";

/** Takes a disabled subscriber back in, as if it had never failed. What it missed can be sent again. */
export async function enableSubscriber(pool: pg.Pool, subscriberId: string): Promise<void> {
  const { rowCount } = await pool.query(
    `with enabled as (
      update subscribers set enabled = true, disabled_at = null, disabled_reason = null, failing_since = null,
        consecutive_failures = 0, pauses = 0, paused_until = null
      where id = $1
      returning app_id, id
    ), job as (${wakeSubscribersSql("select app_id, json_build_array(id), now() from enabled")}
    )
    select id from enabled`,
    [subscriberId],
  );
  if (rowCount === 0) throw new OperatorError(`There is no subscriber ${subscriberId}.`);
}
