import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/** Deletes the artifacts of events that this transaction deletes. Their files must be deleted before. */
export async function dropArtifactsOf(tx: Transaction, appId: string, eventIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom("artifacts")
    .where("app_id", "=", appId)
    .where("event_id", "=", sql<string>`any(${eventIds}::uuid[])`)
    .execute();
}
