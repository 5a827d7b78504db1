import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

/** A ticket of the organisation with the board and column that it is on. Throws `ticket_not_found`. */
export async function requireTicket(
  db: Database,
  organisationId: string,
  ticketId: string,
): Promise<{ id: string; boardId: string; columnId: string }> {
  const { rows } = await sql<{ id: string; boardId: string; columnId: string }>`
    select t.id, columns.board_id as "boardId", t.column_id as "columnId"
    from tickets t join columns on columns.organisation_id = t.organisation_id and columns.id = t.column_id
    where t.organisation_id = ${organisationId} and t.id = ${ticketId}`.execute(db);
  if (!rows[0]) throw new Refusal("ticket_not_found");
  return rows[0];
}
