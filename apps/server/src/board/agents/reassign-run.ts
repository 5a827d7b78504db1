import { sql } from "kysely";
import type { Changer } from "../../people/tokens/changer.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { cancelOpenRun } from "./end-run.ts";
import { queueRunSql } from "./queue-run.ts";

/**
 * Updates the run of an existing ticket for its new assignee: the agent gets a run, unless one is open; for anybody
 * else an open run is cancelled. Returns the run that was created or changed.
 */
export async function reassignRun(
  tx: Transaction,
  { organisationId, userId, name, token }: Changer,
  { ticketId, isAgent, at }: { ticketId: string; isAgent: boolean; at: Date },
): Promise<string | undefined> {
  if (!isAgent) return cancelOpenRun(tx, { organisationId, ticketId, by: { userId, name }, at });
  const { rows } = await sql<{ id: string }>`
    with assigned as materialized (
      select t.organisation_id, t.id, ${token?.id ?? null}::uuid as token_id, ${userId}::uuid as user_id, ${name}::text as author_name, ${at}::timestamptz as at,
        ${sql.raw(isUntrustedSql("t"))} as is_untrusted
      from tickets t where t.organisation_id = ${organisationId} and t.id = ${ticketId}
    ) ${sql.raw(queueRunSql("assigned"))}`.execute(tx);
  return rows[0]?.id;
}

/** Whether the text of a ticket came with a report, as SQL. */
export const isUntrustedSql = (ticket: string) => `(${ticket}.origin = 'report' or exists (
        select from report_cards
        where report_cards.organisation_id = ${ticket}.organisation_id and report_cards.ticket_id = ${ticket}.id))`;
