import type { RelateTickets, RelationList } from "@lodge/contract/dashboard/relations";
import type { RelationKind } from "@lodge/contract/dashboard/tickets";
import { relationsMax } from "@lodge/contract/limits";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import { applyChange } from "../tickets/apply-change.ts";
import { lockTickets } from "../tickets/lock-ticket.ts";
import { type Merged, mergeTicket } from "../tickets/merge-ticket.ts";
import { readTicketRows, type TicketRow } from "../tickets/read-ticket.ts";
import { recordActivity } from "../tickets/record-activity.ts";
import { noteTicketUpdate } from "../tickets/write-comment.ts";
import { listRelations } from "./list-relations.ts";

/** The changes that removing a duplicate undoes; `closed` is null for a ticket that was already done. */
export type Moved = Merged & {
  closed: { columnId: string; position: string; archived: boolean; toColumnId: string } | null;
};

/** A relation as stored: from the ticket that blocks, or is the duplicate, to the other one. */
type Kept = { fromId: string; toId: string; kind: "duplicate" | "blocks" | "relates" };

/** The same relation as seen from the other ticket. */
const inverse: Record<RelationKind, RelationKind> = {
  duplicateOf: "hasDuplicate",
  hasDuplicate: "duplicateOf",
  blocks: "blockedBy",
  blockedBy: "blocks",
  relatesTo: "relatesTo",
};

/**
 * Relates a ticket to another one of the organisation. A duplicate is closed, and its comments and occurrences move to the
 * other ticket (docs/decisions/relations.md). Returns the relations of the ticket. Throws `ticket_not_found`,
 * `invalid_input`, `already_related`, `duplicate_cycle` or `too_many_relations`.
 */
export async function relateTickets(
  deps: Deps,
  actor: Actor,
  ticketId: string,
  { kind, otherId }: RelateTickets,
): Promise<RelationList> {
  const { organisationId } = actor;
  const [ticket, other] = await requireBoth(deps, organisationId, ticketId, otherId);
  if (ticket.id === other.id) throw invalidInput([{ path: "/otherId", message: "must be another ticket" }]);
  if (kind === "duplicateOf") await closeAsDuplicate(deps, actor, ticket, other);
  else {
    await deps.db.transaction().execute(async (tx) => {
      const there = await lockTickets(tx, organisationId, [ticket.id, other.id]);
      if (there < 2) throw new Refusal("ticket_not_found"); // deleted meanwhile
      const [fromId, toId] = kind === "blockedBy" ? [other.id, ticket.id] : [ticket.id, other.id];
      await keep(deps, tx, organisationId, { fromId, toId, kind: kind === "relatesTo" ? "relates" : "blocks" });
      await recordBoth(deps, tx, actor, "ticket.related", ticket, other, kind);
    });
  }
  tellBoth(deps, organisationId, ticket, other);
  return listRelations(deps, organisationId, ticket.id);
}

/** Both tickets with their numbers, in this order. Throws `ticket_not_found`. */
export async function requireBoth({ db }: Deps, organisationId: string, ticketId: string, otherId: string) {
  const ids = [ticketId.toLowerCase(), otherId.toLowerCase()];
  const rows = await readTicketRows(db, organisationId, sql`t.id = any(${ids}::uuid[])`);
  const [ticket, other] = ids.map((id) => rows.find((row) => row.id === id));
  if (!ticket || !other) throw new Refusal("ticket_not_found");
  return [ticket, other] as const;
}

async function closeAsDuplicate(deps: Deps, actor: Actor, ticket: TicketRow, other: TicketRow) {
  const { organisationId } = actor;
  let before = ticket;
  await applyChange(
    deps,
    actor,
    ticket.id,
    { done: true },
    {
      lockAlso: [other.id],
      check: (row) => {
        before = row;
      },
      keep: async (tx, after) => {
        const [into] = await readTicketRows(tx, organisationId, sql`t.id = ${other.id}`);
        if (!into) throw new Refusal("ticket_not_found"); // deleted meanwhile
        const moved = await keep(
          deps,
          tx,
          organisationId,
          { fromId: after.id, toId: into.id, kind: "duplicate" },
          async () => ({
            ...(await mergeTicket(tx, organisationId, after, into)),
            closed: wasClosed(before, after),
          }),
        );
        const movedComments = moved?.commentIds.length || undefined;
        await recordBoth(deps, tx, actor, "ticket.related", ticket, other, "duplicateOf", movedComments);
      },
    },
  );
}

function wasClosed(before: TicketRow, after: TicketRow): Moved["closed"] {
  if (before.done_at !== null) return null;
  const { column_id: columnId, position, archived_at } = before;
  return { columnId, position, archived: archived_at !== null, toColumnId: after.column_id };
}

/** Writes a relation between two locked tickets, if it is allowed. */
async function keep(
  deps: Deps,
  tx: Transaction,
  organisationId: string,
  { fromId, toId, kind }: Kept,
  move?: () => Promise<Moved>,
): Promise<Moved | undefined> {
  // One at a time, with all rows locked: two at once could make a cycle.
  if (kind === "duplicate") {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`duplicates of ${organisationId}`}, 0))`.execute(tx);
    if ((await chainOf(tx, organisationId, toId)).includes(fromId)) throw new Refusal("duplicate_cycle");
  }
  const { rows } = await sql<{ related: boolean; from: number; to: number }>`
    select coalesce(bool_or(kind = 'duplicate' and ${kind} = 'duplicate' and ticket_id = ${fromId}
        or (ticket_id, other_id) in ((${fromId}, ${toId}), (${toId}, ${fromId}))), false) as related,
      count(*) filter (where ${fromId} in (ticket_id, other_id))::integer as from,
      count(*) filter (where ${toId} in (ticket_id, other_id))::integer as to
    from ticket_relations
    where organisation_id = ${organisationId}
      and (ticket_id in (${fromId}, ${toId}) or other_id in (${fromId}, ${toId}))`.execute(tx);
  const { related = false, from = 0, to = 0 } = rows[0] ?? {};
  if (related) throw new Refusal("already_related");
  if (Math.max(from, to) >= relationsMax) throw new Refusal("too_many_relations");
  const moved = await move?.();
  await tx
    .insertInto("ticket_relations")
    .values({
      organisation_id: organisationId,
      ticket_id: fromId,
      other_id: toId,
      kind,
      moved: moved ? JSON.stringify(moved) : null,
      created_at: deps.clock.now(),
    })
    .execute();
  return moved;
}

/** A ticket, the one that it is a duplicate of, and so on. */
export async function chainOf(db: Deps["db"], organisationId: string, ticketId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive chain (id, depth) as (
      select ${ticketId}::uuid, 0
      union all
      select other_id, depth + 1 from chain join ticket_relations
        on organisation_id = ${organisationId} and ticket_id = chain.id and kind = 'duplicate'
    ) cycle id set is_cycle using path
    select id from chain where not is_cycle order by depth`.execute(db);
  return rows.map(({ id }) => id);
}

/** Records in the history of both tickets how they are now related, or no longer are. */
export async function recordBoth(
  deps: Deps,
  tx: Transaction,
  actor: Actor,
  kind: "ticket.related" | "ticket.unrelated",
  ticket: TicketRow,
  other: TicketRow,
  relation: RelationKind,
  movedComments?: number,
): Promise<void> {
  const said = [
    [ticket.id, { relation, otherNumber: other.number ?? undefined }],
    [other.id, { relation: inverse[relation], otherNumber: ticket.number ?? undefined }],
  ] as const;
  for (const [id, facts] of said) {
    await recordActivity(deps, tx, actor, id, { kind, ...facts, movedComments });
    await noteTicketUpdate(tx, actor.organisationId, id);
  }
}

/** Announces to dashboards that two tickets and their comments have changed. */
export function tellBoth({ announce }: Deps, organisationId: string, ...tickets: TicketRow[]): void {
  for (const { id: ticketId, board_id: boardId, column_id: columnId } of tickets) {
    announce(organisationId, { kind: "ticket.changed", ticketId, boardId, columnId });
    announce(organisationId, { kind: "ticket.commented", ticketId, boardId, columnId });
  }
}
