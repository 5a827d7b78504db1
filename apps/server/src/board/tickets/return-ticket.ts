import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { lockTicket } from "./lock-ticket.ts";
import { keyOnTop } from "./move-ticket.ts";

/**
 * Moves a done or archived ticket back to the top of a column in the name of an app, with its activity: the given
 * column or, if its board no longer has that, its leftmost. Other tickets, and deleted ones, do not change.
 */
export async function returnTicket(
  { db, clock }: Deps,
  back: { organisationId: string; ticketId: string; columnId: string | null; app: { id: string; name: string } },
): Promise<void> {
  const { organisationId, ticketId } = back;
  await db.transaction().execute(async (tx) => {
    await lockTicket(tx, organisationId, ticketId);
    const { rows } = await sql<{ column_id: string; column_name: string; board_id: string; archived: boolean }>`
      select t.column_id, columns.name as column_name, board_id, archived_at is not null as archived
      from tickets t join columns on columns.organisation_id = t.organisation_id and columns.id = t.column_id
      where t.organisation_id = ${organisationId} and t.id = ${ticketId} and (done_at is not null or archived_at is not null)`.execute(
      tx,
    );
    const [ticket] = rows;
    if (!ticket) return;
    const target = await tx
      .selectFrom("columns")
      .select(["id", "name", "is_done"])
      .where("organisation_id", "=", organisationId)
      .where("board_id", "=", ticket.board_id)
      .orderBy(sql`(id is not distinct from ${back.columnId} and not is_done) desc, is_done, position, id`)
      .limit(1)
      .executeTakeFirstOrThrow();
    const now = clock.now();
    await tx
      .updateTable("tickets")
      .set({
        column_id: target.id,
        position: await keyOnTop(tx, organisationId, target.id, ticketId),
        archived_at: null,
        done_at: target.is_done ? now : null,
      })
      .where("organisation_id", "=", organisationId)
      .where("id", "=", ticketId)
      .execute();
    const moved = target.id === ticket.column_id ? null : { from: ticket.column_name, to: target.name };
    await recordReturn(tx, back, { isRestored: ticket.archived, moved, at: now });
    const ids = { ticketId, boardId: ticket.board_id, columnId: target.id };
    if (ticket.archived) await publish(tx, organisationId, { kind: "ticket.restored", ...ids });
    await publish(tx, organisationId, {
      kind: "ticket.moved",
      ...ids,
      fromBoardId: ticket.board_id,
      fromColumnId: ticket.column_id,
    });
  });
}

async function recordReturn(
  tx: Transaction,
  { organisationId, ticketId, app }: { organisationId: string; ticketId: string; app: { id: string; name: string } },
  { isRestored, moved, at }: { isRestored: boolean; moved: { from: string; to: string } | null; at: Date },
) {
  const entries = [
    ...(isRestored ? [{ kind: "ticket.restored", details: {} }] : []),
    ...(moved ? [{ kind: "ticket.moved", details: moved }] : []),
  ];
  for (const { kind, details } of entries) {
    await tx
      .insertInto("ticket_activities")
      .values({
        organisation_id: organisationId,
        ticket_id: ticketId,
        kind,
        actor_name: app.name,
        details: JSON.stringify({ ...details, origin: "report", appId: app.id }),
        created_at: at,
      })
      .execute();
  }
}
