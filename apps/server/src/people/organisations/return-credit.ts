import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/** Returns a run's reserved credit, once, in the transaction that ends the run; does nothing if it has none. */
export async function returnCredit(
  tx: Transaction,
  { organisationId, runId, at }: { organisationId: string; runId: string; at: Date },
): Promise<void> {
  await sql`
    with returned as (
      insert into credit_entries (organisation_id, kind, amount, run_id, created_at)
      select organisation_id, 'returned', -amount, run_id, ${at}::timestamptz from credit_entries
      where organisation_id = ${organisationId} and run_id = ${runId} and kind = 'reserved'
      on conflict do nothing
      returning organisation_id, amount
    )
    update organisations set credits = credits + returned.amount
    from returned where organisations.id = returned.organisation_id`.execute(tx);
}
