import { sql } from "kysely";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import { reachesProject } from "../../people/tokens/reaches-project.ts";
import type { Database } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

/** A ticket of the organisation, or of a token's projects, with its board and column. Throws `ticket_not_found`. */
export async function requireTicket(
  db: Database,
  organisationId: string,
  ticketId: string,
  token?: Token,
): Promise<{ id: string; boardId: string; columnId: string }> {
  const { rows } = await sql<{ id: string; boardId: string; columnId: string }>`
    select t.id, columns.board_id as "boardId", t.column_id as "columnId"
    from tickets t join columns on columns.organisation_id = t.organisation_id and columns.id = t.column_id
    join boards on boards.organisation_id = columns.organisation_id and boards.id = columns.board_id
    where t.organisation_id = ${organisationId} and t.id = ${ticketId}
      and ${token ? reachesProject(token, sql.ref("boards.project_id")) : sql`true`}`.execute(db);
  if (!rows[0]) throw new Refusal("ticket_not_found");
  return rows[0];
}
