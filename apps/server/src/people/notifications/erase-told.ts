import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/**
 * Erases what runs of some tickets of an organisation have said from what people were told of them, or will be. That they
 * were told of a run stays.
 */
export async function eraseTold(tx: Transaction, organisationId: string, ticketIds: readonly string[]): Promise<void> {
  // In this order: whoever is telling has these locked.
  await sql`
    update happenings set details = details - '{question,summary}'::text[]
    where organisation_id = ${organisationId} and details ->> 'ticketId' = any(${ticketIds}::text[])`.execute(tx);
  await sql`
    update notices set text = null
    where organisation_id = ${organisationId} and ticket_id = any(${ticketIds}::uuid[])
      and kind in ('run_asked', 'run_finished')`.execute(tx);
}

/**
 * Erases the titles of some problems of an organisation from what people were told of them, or will be, since an erased report
 * had said them.
 */
export async function eraseToldOfProblems(
  tx: Transaction,
  organisationId: string,
  problemIds: readonly string[],
): Promise<void> {
  // In this order: whoever is telling has these locked.
  await sql`
    update happenings set details = jsonb_set(details, '{problem,title}', 'null')
    where organisation_id = ${organisationId} and kind in ('problem.new', 'problem.back', 'problem.spike')
      and details #>> '{problem,id}' = any(${problemIds}::text[])`.execute(tx);
  await sql`
    update notices set text = null
    where organisation_id = ${organisationId} and problem_id = any(${problemIds}::uuid[])`.execute(tx);
}
