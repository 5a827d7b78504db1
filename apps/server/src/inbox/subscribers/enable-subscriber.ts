import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import type { Basics } from "../../platform/deps.ts";
import { OperatorError } from "../../platform/errors.ts";
import { changeAnySubscriber } from "./change-subscribers.ts";
import { wakeSubscribersSql } from "./wake-subscribers.ts";

/**
 * As `enableSubscriber`, for the operator, with an entry in the audit log. Throws an `OperatorError` if the subscriber
 * does not exist or is not confirmed.
 */
export const enableAnySubscriber = (basics: Pick<Basics, "db" | "clock">, subscriberId: string): Promise<void> =>
  changeAnySubscriber(basics, "lodged subscribers enable", "subscriber.enabled", subscriberId, (tx) =>
    enableSubscriber(tx, subscriberId),
  );

/** Enables a disabled subscriber as if it had never failed. The events that it missed can be replayed. */
export async function enableSubscriber(db: Database, subscriberId: string): Promise<void> {
  const { rows } = await sql`
    with enabled as (
      update subscribers set enabled = true, disabled_at = null, disabled_reason = null, failing_since = null,
        consecutive_failures = 0, pauses = 0, paused_until = null
      where id = ${subscriberId} and deleted_at is null and (kind <> 'email' or confirmed_at is not null)
      returning app_id, id
    ), job as (${sql.raw(wakeSubscribersSql("select app_id, json_build_array(id), now() from enabled"))}
    )
    select id from enabled`.execute(db);
  if (rows.length === 0) throw new OperatorError(`There is no confirmed subscriber ${subscriberId}.`);
}

/** Disables a subscriber with a reason: it receives nothing from then on, and its waiting deliveries fail. */
export async function disableSubscriber(db: Database, subscriberId: string, reason: string): Promise<void> {
  await sql`
    with disabled as (
      update subscribers set enabled = false, disabled_at = now(), disabled_reason = ${reason}
      where id = ${subscriberId} and enabled
      returning app_id, id
    ), job as (${sql.raw(wakeSubscribersSql("select app_id, json_build_array(id), now() from disabled"))}
    )
    select from disabled`.execute(db);
}

/** Ends a subscriber's pause after failures, so that it is tried now. */
export async function resumeSubscriber(db: Database, subscriberId: string): Promise<void> {
  await sql`
    with resumed as (
      update subscribers set paused_until = null where id = ${subscriberId}
      returning app_id, id
    ), job as (${sql.raw(wakeSubscribersSql("select app_id, json_build_array(id), now() from resumed"))}
    )
    select from resumed`.execute(db);
}
