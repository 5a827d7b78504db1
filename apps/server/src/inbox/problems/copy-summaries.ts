import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/** Inserts rows of event_summaries from a query into a partition that is not attached yet. */
export async function copySummaries(tx: Transaction, partition: number, rows: RawBuilder<unknown>): Promise<void> {
  await sql`insert into ${sql.table(`event_summaries_${partition}`)} ${rows}`.execute(tx);
}
