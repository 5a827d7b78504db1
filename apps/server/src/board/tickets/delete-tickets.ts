import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAuditSql } from "../../people/audit/record-audit.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/**
 * Deletes tickets with their comments, history and runs, all of them or none, and writes into the audit log who did.
 * Throws `ticket_not_found`, or `forbidden` to a member who has not filed every one of them.
 */
export async function deleteTickets(deps: Deps, actor: Actor, ticketIds: string[]): Promise<void> {
  const { organisationId, userId, name } = actor;
  const ids = [...new Set(ticketIds.map((id) => id.toLowerCase()))];
  const deleted = await deps.db.transaction().execute(async (tx) => {
    // By itself: a statement that waits for a row joins it with what it has read before.
    await sql`
      select from tickets where organisation_id = ${organisationId} and id = any(${ids}::uuid[])
      order by id for update`.execute(tx);
    const { rows } = await sql<{ id: string; columnId: string; boardId: string; isOwn: boolean }>`
      select t.id, t.column_id as "columnId", columns.board_id as "boardId",
        t.author_user_id is not distinct from ${userId}::uuid as "isOwn"
      from tickets t join columns on columns.organisation_id = t.organisation_id and columns.id = t.column_id
      where t.organisation_id = ${organisationId} and t.id = any(${ids}::uuid[])`.execute(tx);
    if (rows.length < ids.length) throw new Refusal("ticket_not_found");
    if (actor.role === "member" && !rows.every(({ isOwn }) => isOwn)) throw new Refusal("forbidden");
    await sql`
      with gone as (
        delete from tickets where organisation_id = ${organisationId} and id = any(${ids}::uuid[])
        returning organisation_id, id, title
      ), who as (
        select ${userId}::uuid as id, ${name}::text as name, ${deps.clock.now()}::timestamptz as at
      )
      ${sql.raw(
        recordAuditSql(`
        select organisation_id, 'ticket.deleted',
          jsonb_build_object('ticketId', gone.id, 'title', title, 'userId', who.id, 'userName', who.name), who.at
        from gone, who`),
      )}`.execute(tx);
    return rows;
  });
  for (const { id: ticketId, boardId, columnId } of deleted) {
    deps.announce(organisationId, { kind: "ticket.deleted", ticketId, boardId, columnId });
  }
}
