import { sql, type Transaction } from "kysely";
import type pg from "pg";
import type { DB } from "../platform/database/database.generated.ts";

/** Gives back the deliveries that dead workers had taken. */
export async function releaseClaims(client: pg.ClientBase, workerIds: string[]): Promise<void> {
  await client.query(
    "update deliveries set claimed_by = null where state in ('waiting', 'failed') and claimed_by = any($1)",
    [workerIds],
  );
}

/** Gives back the deliveries of apps that came from another cell, whose workers are none here. */
export async function releaseClaimsOfApps(tx: Transaction<DB>, appIds: string[]): Promise<void> {
  await tx
    .updateTable("deliveries")
    .set({ claimed_by: null })
    .where("app_id", "=", sql<string>`any(${appIds}::uuid[])`)
    .where("claimed_by", "is not", null)
    .execute();
}
