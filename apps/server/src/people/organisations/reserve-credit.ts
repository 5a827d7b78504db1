import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/**
 * Reserves a credit for a run, unless it has one already, in the transaction that starts the run. Returns false if
 * there is none left. Locks the organisation's row until the end of the transaction.
 */
export async function reserveCredit(
  tx: Transaction,
  { organisationId, runId, at }: { organisationId: string; runId: string; at: Date },
): Promise<boolean> {
  const { rows } = await sql`
    with had as (
      select from credit_entries
      where organisation_id = ${organisationId} and run_id = ${runId} and kind = 'reserved'
    ), taken as (
      update organisations set credits = credits - 1
      where id = ${organisationId} and credits > 0 and not exists (select from had)
      returning id
    ), entry as (
      insert into credit_entries (organisation_id, kind, amount, run_id, created_at)
      select id, 'reserved', -1, ${runId}::uuid, ${at}::timestamptz from taken
    )
    select from had union all select from taken`.execute(tx);
  return rows.length > 0;
}
