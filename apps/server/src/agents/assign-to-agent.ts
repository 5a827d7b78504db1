import { sql } from "kysely";
import { takeCreditSql } from "../organisations/take-credit.ts";
import type { Transaction } from "../platform/database/database.ts";
import { queueRunSql } from "./queue-run.ts";

/** Gives a ticket that exists to the agent: takes a credit where one is left, and queues or holds the run. */
export async function assignToAgent(tx: Transaction, organisationId: string, ticketId: string): Promise<void> {
  await sql`
    with assigned as materialized (
      select tickets.organisation_id, tickets.id, boards.project_id, tickets.agent_repository_id
      from tickets
      join columns on columns.organisation_id = tickets.organisation_id and columns.id = tickets.column_id
      join boards on boards.organisation_id = columns.organisation_id and boards.id = columns.board_id
      where tickets.organisation_id = ${organisationId} and tickets.id = ${ticketId}
    ), credit as (${sql.raw(takeCreditSql("(select organisation_id from assigned)", "true"))})
    ${sql.raw(queueRunSql("assigned", "credit"))}`.execute(tx);
}
