import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/**
 * Erases what runs of some of the organisation's tickets have said from sent and pending notifications. That people
 * were notified of a run is kept.
 */
export async function eraseTold(tx: Transaction, organisationId: string, ticketIds: readonly string[]): Promise<void> {
  // In this order, because a worker that sends notifications has these locked.
  await sql`
    update happenings set details = details - '{question,summary}'::text[]
    where organisation_id = ${organisationId} and details ->> 'ticketId' = any(${ticketIds}::text[])`.execute(tx);
  await sql`
    update notices set text = null
    where organisation_id = ${organisationId} and ticket_id = any(${ticketIds}::uuid[])
      and kind in ('run_asked', 'run_finished')`.execute(tx);
}

/**
 * Erases the titles of some of the organisation's problems from sent and pending notifications, because they came from
 * an erased report.
 */
export async function eraseToldOfProblems(
  tx: Transaction,
  organisationId: string,
  problemIds: readonly string[],
): Promise<void> {
  // In this order, because a worker that sends notifications has these locked.
  await sql`
    update happenings set details = jsonb_set(details, '{problem,title}', 'null')
    where organisation_id = ${organisationId} and kind in ('problem.new', 'problem.back', 'problem.spike')
      and details #>> '{problem,id}' = any(${problemIds}::text[])`.execute(tx);
  await sql`
    update notices set text = null
    where organisation_id = ${organisationId} and problem_id = any(${problemIds}::uuid[])`.execute(tx);
}
