import { movedCardsMax } from "@lodge/contract/limits";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { markDone } from "./mark-done.ts";
import { keyOnTop } from "./move-ticket.ts";

/**
 * Moves all cards of a column, including archived ones, to the top of another column of its board, in order and with
 * their history; nobody can file into either column until the transaction ends. Throws `too_many_cards`.
 */
export async function moveAllCards(
  { clock }: Deps,
  tx: Transaction,
  { organisationId, userId, name }: Actor,
  fromId: string,
  toId: string,
): Promise<void> {
  const { rows } = await sql<{ id: string; name: string; isDone: boolean }>`
    select id, name, is_done as "isDone" from columns
    where organisation_id = ${organisationId} and id = any(${[fromId, toId]}::uuid[]) order by id for update`.execute(
    tx,
  );
  const [from, to] = [fromId, toId].map((id) => rows.find((row) => row.id === id));
  if (!from || !to) throw new Refusal("column_not_found");
  const { rows: counted } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from tickets where organisation_id = ${organisationId} and column_id = ${fromId}
      limit ${movedCardsMax + 1}) cards`.execute(tx);
  if ((counted[0]?.count ?? 0) > movedCardsMax) throw new Refusal("too_many_cards");
  if (from.isDone !== to.isDone) await markDone(tx, organisationId, fromId, to.isDone ? clock.now() : null);
  const top = await keyOnTop(tx, organisationId, toId, fromId);
  await sql`
    with place as materialized (
      select id, row_number() over (order by position, id) as number from tickets
      where organisation_id = ${organisationId} and column_id = ${fromId}
    ), moved as (
      update tickets set column_id = ${toId}, position = ${top}::text || lpad(to_hex(place.number), 6, '0') || '8'
      from place where tickets.organisation_id = ${organisationId} and tickets.id = place.id
    )
    insert into ticket_activities (organisation_id, ticket_id, kind, actor_user_id, actor_name, details, created_at)
    select ${organisationId}, id, 'ticket.moved', ${userId}, ${name},
      ${JSON.stringify({ from: from.name, to: to.name })}::jsonb, ${clock.now()}
    from place`.execute(tx);
}
