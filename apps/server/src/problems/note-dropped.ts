import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../platform/database/database.ts";

/** Notes of events that are about to be deleted, in the transaction that does it, that they are counted but not kept. */
export async function noteDropped(tx: Transaction, appId: string, eventIds: readonly string[]): Promise<void> {
  await sql`
    update problem_hashes set dropped_count = dropped_count + gone.count
    from (
      select hash, count(*) as count from event_summaries
      where app_id = ${appId} and event_id = any(${eventIds}::uuid[]) and hash is not null group by hash
    ) gone
    where problem_hashes.app_id = ${appId} and problem_hashes.hash = gone.hash`.execute(tx);
}

/**
 * Counts events that go in this transaction, those of a query of app_id and hash, null for a single report. What it returns
 * is called once nobody reads events of them any more: it notes the same of them, and says how many they are.
 */
export async function countDropped(tx: Transaction, gone: RawBuilder<unknown>): Promise<() => Promise<number>> {
  await sql`
    create temporary table dropped_counts on commit drop as
    select app_id, hash, count(*) as count from (${gone}) gone group by app_id, hash`.execute(tx);
  return async () => {
    await sql`
      update problem_hashes set dropped_count = dropped_count + dropped_counts.count
      from dropped_counts where problem_hashes.app_id = dropped_counts.app_id and problem_hashes.hash = dropped_counts.hash`.execute(
      tx,
    );
    const { rows } = await sql<{ count: number }>`
      select coalesce(sum(count), 0)::bigint as count from dropped_counts`.execute(tx);
    return rows[0]?.count ?? 0;
  };
}
