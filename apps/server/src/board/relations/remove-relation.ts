import type { RelationKind } from "@lodge/contract/dashboard/tickets";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { applyChange } from "../tickets/apply-change.ts";
import { lockTickets } from "../tickets/lock-ticket.ts";
import { putAt, unmergeTicket } from "../tickets/merge-ticket.ts";
import type { TicketRow } from "../tickets/read-ticket.ts";
import { chainOf, type Moved, recordBoth, requireBoth, tellBoth } from "./relate-tickets.ts";

/**
 * Removes the relation of two tickets. A duplicate gets back what was moved to the other one, and is reopened where it
 * was, unless somebody has moved it since (docs/decisions/relations.md). Throws `relation_not_found`.
 */
export async function removeRelation(deps: Deps, actor: Actor, ticketId: string, otherId: string): Promise<void> {
  const { organisationId } = actor;
  const [ticket, other] = await requireBoth(deps, organisationId, ticketId, otherId).catch((error: unknown) => {
    throw error instanceof Refusal && error.code === "ticket_not_found" ? new Refusal("relation_not_found") : error;
  });
  const found = await findRelation(deps.db, organisationId, ticket.id, other.id);
  if (!found) throw new Refusal("relation_not_found");
  if (found.kind === "duplicate") {
    const [duplicate, original] = found.fromId === ticket.id ? [ticket, other] : [other, ticket];
    await reopenDuplicate(deps, actor, duplicate, original, found.moved);
  } else {
    await deps.db.transaction().execute(async (tx) => {
      await lockTickets(tx, organisationId, [ticket.id, other.id]);
      await remove(tx, organisationId, ticket.id, other.id);
      const isFrom = found.fromId === ticket.id;
      const kind: RelationKind = found.kind === "relates" ? "relatesTo" : isFrom ? "blocks" : "blockedBy";
      await recordBoth(deps, tx, actor, "ticket.unrelated", ticket, other, kind);
    });
  }
  tellBoth(deps, organisationId, ticket, other);
}

type Found = { fromId: string; kind: "duplicate" | "blocks" | "relates"; moved: Moved };

async function findRelation(db: Deps["db"], organisationId: string, ticketId: string, otherId: string) {
  const { rows } = await sql<Found>`
    select ticket_id as "fromId", kind, moved from ticket_relations
    where organisation_id = ${organisationId}
      and (ticket_id, other_id) in ((${ticketId}, ${otherId}), (${otherId}, ${ticketId}))`.execute(db);
  return rows[0];
}

async function remove(tx: Transaction, organisationId: string, ticketId: string, otherId: string): Promise<void> {
  const { numAffectedRows } = await sql`
    delete from ticket_relations
    where organisation_id = ${organisationId}
      and (ticket_id, other_id) in ((${ticketId}, ${otherId}), (${otherId}, ${ticketId}))`.execute(tx);
  if (!numAffectedRows) throw new Refusal("relation_not_found"); // somebody else was faster
}

async function reopenDuplicate(deps: Deps, actor: Actor, duplicate: TicketRow, original: TicketRow, moved: Moved) {
  const { organisationId } = actor;
  // If the original is a duplicate itself, its comments and occurrences were moved on.
  const holders = await chainOf(deps.db, organisationId, original.id);
  const closed = isAsClosed(duplicate, moved.closed) ? moved.closed : null;
  const changes = closed ? await backFrom(deps, organisationId, duplicate, closed) : {};
  await applyChange(deps, actor, duplicate.id, changes, {
    lockAlso: holders,
    keep: async (tx) => {
      await remove(tx, organisationId, duplicate.id, original.id);
      const { movedComments } = await unmergeTicket(tx, organisationId, duplicate.id, holders, moved);
      await forget(tx, organisationId, holders, moved.occurrences);
      if (closed) await putAt(tx, organisationId, duplicate.id, closed);
      await recordBoth(
        deps,
        tx,
        actor,
        "ticket.unrelated",
        duplicate,
        original,
        "duplicateOf",
        movedComments || undefined,
      );
    },
  });
}

/** Whether a duplicate is still closed, in the column where it was closed. */
const isAsClosed = (row: TicketRow, closed: Moved["closed"]): boolean =>
  closed !== null && row.done_at !== null && row.column_id === closed.toColumnId;

/** Reopens a duplicate, in its column or, if that is gone, in the leftmost one. */
async function backFrom(
  { db }: Deps,
  organisationId: string,
  row: TicketRow,
  { columnId, archived }: NonNullable<Moved["closed"]>,
) {
  const column = await db
    .selectFrom("columns")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", columnId)
    .where("board_id", "=", row.board_id)
    .where("id", "<>", row.column_id)
    .executeTakeFirst();
  return { archived, ...(column ? { columnId: column.id } : { done: false }) };
}

/** Subtracts occurrences that were moved back from those that the holders' own relations have moved on. */
async function forget(tx: Transaction, organisationId: string, holderIds: readonly string[], occurrences: number) {
  await sql`
    update ticket_relations
    set moved = jsonb_set(moved, '{occurrences}', to_jsonb(greatest(0, (moved ->> 'occurrences')::integer - ${occurrences})))
    where organisation_id = ${organisationId} and ticket_id = any(${holderIds}::uuid[]) and kind = 'duplicate'`.execute(
    tx,
  );
}
