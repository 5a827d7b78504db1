import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/** Records that events which this transaction is about to delete stay counted. */
export async function noteDropped(tx: Transaction, appId: string, eventIds: readonly string[]): Promise<void> {
  await sql`
    update problem_hashes set dropped_count = dropped_count + gone.count
    from (
      select hash, count(*) as count from event_summaries
      where app_id = ${appId} and event_id = any(${eventIds}::uuid[]) and hash is not null group by hash
    ) gone
    where problem_hashes.app_id = ${appId} and problem_hashes.hash = gone.hash`.execute(tx);
}

/** The number of deleted events of a hash; null for reports without a problem. */
export type DroppedCount = { app_id: string; hash: string | null; count: number };

/** As `noteDropped`, for events that are deleted with their day. */
export async function noteDroppedCounts(tx: Transaction, counts: readonly DroppedCount[]): Promise<void> {
  await sql`
    update problem_hashes set dropped_count = dropped_count + gone.count
    from json_to_recordset(${JSON.stringify(counts)}) as gone (app_id uuid, hash uuid, count integer)
    where problem_hashes.app_id = gone.app_id and problem_hashes.hash = gone.hash`.execute(tx);
}
