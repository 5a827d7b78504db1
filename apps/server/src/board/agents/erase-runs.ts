import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/**
 * Erases what runs of some of the organisation's tickets have said, asked and changed, because an agent repeats the
 * text of its ticket. That a run happened, and how it ended, is kept.
 */
export async function eraseRuns(tx: Transaction, organisationId: string, ticketIds: readonly string[]): Promise<void> {
  await sql`
    with erased as (
      update agent_runs set question = null, summary = null, patch = null, pull_request_error = null,
        pull_request_wanted_at = null
      where organisation_id = ${organisationId} and ticket_id = any(${ticketIds}::uuid[])
      returning organisation_id, id
    )
    delete from run_log_entries using erased
    where run_log_entries.organisation_id = erased.organisation_id and run_log_entries.run_id = erased.id`.execute(tx);
}
