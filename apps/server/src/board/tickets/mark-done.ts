import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/**
 * Marks the cards of a column as done since `at`, unless they are already, or, for null, as not done. Of several cards
 * of one problem, the latest is then the open one, unless there is another.
 */
export async function markDone(
  tx: Transaction,
  organisationId: string,
  columnId: string,
  at: Date | null,
): Promise<void> {
  // In the order in which others lock them.
  await sql`
    select from tickets where organisation_id = ${organisationId} and column_id = ${columnId}
    order by id for no key update`.execute(tx);
  await sql`
    update tickets set done_at = ${at}, problem = case when ${at}::timestamptz is not null or not exists (
      select from tickets other
      where other.organisation_id = tickets.organisation_id and other.problem_project_id = tickets.problem_project_id
        and other.problem = tickets.problem and other.archived_at is null and other.id <> tickets.id
        and (other.done_at is null or other.column_id = tickets.column_id and other.id > tickets.id)) then problem end
    where organisation_id = ${organisationId} and column_id = ${columnId}
      and (done_at is null) = (${at}::timestamptz is not null)`.execute(tx);
}
