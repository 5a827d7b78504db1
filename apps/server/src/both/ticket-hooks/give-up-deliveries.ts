import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";

/** Gives up the pending deliveries of a disabled webhook. They can be sent again. */
export async function giveUpDeliveries(db: Database, organisationId: string, hookId: string): Promise<void> {
  await db
    .updateTable("hook_deliveries")
    .set({ state: "dead", settled_at: sql<Date>`now()` })
    .where("organisation_id", "=", organisationId)
    .where("hook_id", "=", hookId)
    .where("state", "in", ["waiting", "failed"])
    .where("claimed_by", "is", null)
    .execute();
}
