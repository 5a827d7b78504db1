import type { TicketPlace } from "@lodge/contract/dashboard/tickets";
import { sql } from "kysely";
import type { SignedIn } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/**
 * Finds the target of a deep link, in any organisation of the person that the session has access to. Throws
 * `ticket_not_found`.
 */
export async function findTicketPlace(
  { db }: Deps,
  { userId, providerOrganisationId }: SignedIn,
  ticketId: string,
): Promise<TicketPlace> {
  const { rows } = await sql<TicketPlace>`
    select t.organisation_id as "organisationId", boards.project_id as "projectId", boards.id as "boardId",
      t.column_id as "columnId"
    from members
    join tickets t on t.organisation_id = members.organisation_id
    join columns on columns.organisation_id = t.organisation_id and columns.id = t.column_id
    join boards on boards.organisation_id = t.organisation_id and boards.id = columns.board_id
    where members.user_id = ${userId} and t.id = ${ticketId}
      and members.organisation_id = coalesce(${providerOrganisationId}::uuid, members.organisation_id)`.execute(db);
  if (!rows[0]) throw new Refusal("ticket_not_found");
  return rows[0];
}
