import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import { doneness } from "./archival.ts";
import { lockTicket } from "./lock-ticket.ts";
import { keyOnTop } from "./move-ticket.ts";

/**
 * Moves a ticket to the top of its board's done column or, without one, of the last column, in somebody's name and with
 * its activity. A ticket that is there, done or archived already does not change.
 */
export async function finishTicket(
  tx: Transaction,
  {
    organisationId,
    ticketId,
    by,
    at,
  }: { organisationId: string; ticketId: string; by: { userId: string; name: string }; at: Date },
): Promise<void> {
  await lockTicket(tx, organisationId, ticketId);
  const { rows } = await sql<{
    id: string;
    name: string;
    isDone: boolean;
    from: string;
    fromId: string;
    boardId: string;
  }>`
    select target.id, target.name, target.is_done as "isDone", was.name as from, was.id as "fromId",
      was.board_id as "boardId"
    from tickets join columns was on was.organisation_id = tickets.organisation_id and was.id = tickets.column_id
    cross join lateral (
      select id, name, is_done from columns
      where columns.organisation_id = was.organisation_id and columns.board_id = was.board_id
      order by is_done desc, position desc, id desc limit 1) target
    where tickets.organisation_id = ${organisationId} and tickets.id = ${ticketId} and tickets.done_at is null
      and tickets.archived_at is null and target.id <> was.id`.execute(tx);
  const [move] = rows;
  if (!move) return;
  await tx
    .updateTable("tickets")
    .set({
      column_id: move.id,
      position: await keyOnTop(tx, organisationId, move.id, ticketId),
      ...doneness(move.isDone, at),
    })
    .where("organisation_id", "=", organisationId)
    .where("id", "=", ticketId)
    .execute();
  await tx
    .insertInto("ticket_activities")
    .values({
      organisation_id: organisationId,
      ticket_id: ticketId,
      kind: "ticket.moved",
      actor_user_id: by.userId,
      actor_name: by.name,
      details: JSON.stringify({ from: move.from, to: move.name }),
      created_at: at,
    })
    .execute();
  const place = { ticketId, boardId: move.boardId, columnId: move.id };
  await publish(tx, organisationId, {
    kind: "ticket.moved",
    ...place,
    fromBoardId: move.boardId,
    fromColumnId: move.fromId,
  });
}
