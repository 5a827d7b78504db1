import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";

/** Gives up what waits for a webhook that is disabled. It can be sent again. */
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
