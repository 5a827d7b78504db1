import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database, Transaction } from "../../platform/database/database.ts";
import type { Basics, Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { changeAnySubscriber, changeSubscribers } from "./change-subscribers.ts";
import { readSubscriber } from "./list-subscribers.ts";

/**
 * Deletes a subscriber of the organisation: it disappears and receives nothing, both immediately. Its deliveries are
 * deleted afterwards, in steps; events and cards that it filed stay. Throws `subscriber_not_found`.
 */
export async function deleteSubscriber(deps: Deps, actor: Actor, subscriberId: string): Promise<void> {
  await changeSubscribers(deps, actor, "subscriber.deleted", async (tx) => {
    const subscriber = await readSubscriber(deps, tx, actor.organisationId, subscriberId);
    const marked = await markDeleted(tx, deps.clock.now(), sql`app_id = ${subscriber.app.id} and id = ${subscriberId}`);
    if (marked === 0) throw new Refusal("subscriber_not_found");
    return { subscriber };
  });
}

/** As `deleteSubscriber`, for the operator. */
export const deleteAnySubscriber = (basics: Pick<Basics, "db" | "clock">, subscriberId: string): Promise<void> =>
  changeAnySubscriber(basics, "lodged subscribers delete", "subscriber.deleted", subscriberId, async (tx) => {
    await markDeleted(tx, basics.clock.now(), sql`id = ${subscriberId}`);
  });

/** Deletes all subscribers of a deleted app. */
export async function deleteSubscribersOf(tx: Transaction, appId: string, at: Date): Promise<void> {
  await markDeleted(tx, at, sql`app_id = ${appId}`);
}

/** Deletes the row of a subscriber once its deliveries are gone. */
export async function dropSubscriber(db: Database, appId: string, subscriberId: string): Promise<void> {
  await db.deleteFrom("subscribers").where("app_id", "=", appId).where("id", "=", subscriberId).execute();
}

/** Marks subscribers as deleted, and deletes their secrets immediately. */
async function markDeleted(tx: Transaction, at: Date, which: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    with deleted as (
      update subscribers set deleted_at = ${at}, enabled = false, disabled_at = ${at}, disabled_reason = 'Deleted.'
      where ${which} and deleted_at is null
      returning app_id, id
    ), secret as (
      delete from signing_secrets using deleted
      where signing_secrets.app_id = deleted.app_id and subscriber_id = deleted.id
    )
    select id from deleted`.execute(tx);
  return rows.length;
}
