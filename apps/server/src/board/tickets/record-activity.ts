import type { RelationKind } from "@lodge/contract/dashboard/tickets";
import type { Changer } from "../../people/tokens/changer.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";

/** A kind of history entry, with its details. */
export type Entry =
  | { kind: "ticket.filed" }
  | { kind: "ticket.changed"; changes: { field: string; from: string | null; to: string | null }[] }
  | { kind: "ticket.moved"; from: string; to: string }
  | { kind: "ticket.resolved"; from?: string; to?: string }
  | { kind: "ticket.commented"; commentId: string }
  | { kind: "ticket.attached"; filename: string }
  | { kind: "ticket.detached"; filename: string }
  | {
      kind: "ticket.related" | "ticket.unrelated";
      relation: RelationKind;
      otherNumber?: string | undefined;
      movedComments?: number | undefined;
    }
  | { kind: "ticket.archived" }
  | { kind: "ticket.restored" }
  | { kind: "ticket.deleted" }
  | { kind: "ticket.undeleted" };

/** The statement that adds an entry to a ticket's history. */
export const insertActivity = (
  { clock }: Deps,
  tx: Transaction,
  changer: Changer,
  ticketId: string,
  { kind, ...details }: Entry,
) =>
  tx
    .insertInto("ticket_activities")
    .values({
      organisation_id: changer.organisationId,
      ticket_id: ticketId,
      kind,
      actor_token_id: changer.token?.id ?? null,
      actor_user_id: changer.userId,
      actor_name: changer.name,
      details: JSON.stringify(details),
      created_at: clock.now(),
    })
    .returning("id");

/** Adds an entry to a ticket's history, in the transaction of the change. Returns the entry's id. */
export async function recordActivity(
  deps: Deps,
  tx: Transaction,
  changer: Changer,
  ticketId: string,
  entry: Entry,
): Promise<string> {
  const { id } = await insertActivity(deps, tx, changer, ticketId, entry).executeTakeFirstOrThrow();
  return id;
}
