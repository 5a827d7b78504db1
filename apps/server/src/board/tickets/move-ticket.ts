import type { Card } from "@lodge/contract/dashboard/boards";
import type { MoveTicket } from "@lodge/contract/dashboard/tickets";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { doneness } from "./archival.ts";
import { readCards } from "./card.ts";
import { lockTicket } from "./lock-ticket.ts";
import { keyBelowAll, keysBetween } from "./position.ts";
import { readTicket } from "./read-ticket.ts";
import { recordActivity } from "./record-activity.ts";
import { reopening } from "./reopening.ts";

/** A column whose keys have become longer is spread. */
const keyLengthMax = 60;

/**
 * Puts a card directly below another one, or on top of a column, by writing its own row alone. Others who move cards into
 * the column wait meanwhile; filing into it does not. Throws `ticket_not_found`, `column_not_found` or `card_moved_away`.
 */
export async function moveTicket(
  deps: Deps,
  actor: Actor,
  ticketId: string,
  { columnId, belowTicketId }: MoveTicket,
): Promise<Card> {
  const { organisationId } = actor;
  const { card, isSpread, ...place } = await reopening(deps.db, async (tx) => {
    const { project } = await readTicket(deps, tx, organisationId, ticketId);
    const target = await tx
      .selectFrom("columns")
      .innerJoin("boards", (join) =>
        join
          .onRef("boards.organisation_id", "=", "columns.organisation_id")
          .onRef("boards.id", "=", "columns.board_id"),
      )
      .select(["columns.id", "columns.name", "columns.is_done", "columns.board_id", "boards.name as board_name"])
      .where("columns.organisation_id", "=", organisationId)
      .where("columns.id", "=", columnId)
      .where("boards.project_id", "=", project.id)
      .forNoKeyUpdate("columns") // before the ticket, in the order in which `spread` locks
      .executeTakeFirst();
    if (!target) throw new Refusal("column_not_found");
    await lockTicket(tx, organisationId, ticketId);
    const before = await readTicket(deps, tx, organisationId, ticketId);

    const { keys, isSpread } = await withRoom(tx, organisationId, target.id, 1, async () =>
      belowTicketId === null
        ? [await keyOnTop(tx, organisationId, target.id, before.id)]
        : keysBelow(tx, organisationId, target.id, [before.id], belowTicketId),
    );
    await tx
      .updateTable("tickets")
      .set({
        column_id: target.id,
        position: keys[0] ?? before.position,
        ...(target.id !== before.columnId && doneness(target.is_done, deps.clock.now())),
      })
      .where("organisation_id", "=", organisationId)
      .where("id", "=", before.id)
      .execute();
    if (target.id !== before.columnId) {
      const named = (board: string, column: string) =>
        target.board_id === before.board.id ? column : `${board} / ${column}`;
      await recordActivity(deps, tx, actor, before.id, {
        kind: "ticket.moved",
        from: named(before.board.name, before.column.name),
        to: named(target.board_name, target.name),
      });
    }
    const [card] = await readCards(tx, organisationId, [before.id]);
    return {
      card: card as Card,
      boardId: target.board_id,
      fromBoardId: before.board.id,
      fromColumnId: before.columnId,
      isSpread,
    };
  });
  deps.announce(organisationId, { kind: "ticket.moved", ticketId: card.id, columnId: card.columnId, ...place });
  if (isSpread) deps.announce(organisationId, { kind: "board.changed", boardId: place.boardId }); // all have other keys now
  return card;
}

/** The keys that are found of a place in a column; found anew once it was spread where they are too long, or too few. */
export async function withRoom(
  tx: Transaction,
  organisationId: string,
  columnId: string,
  count: number,
  find: () => Promise<string[]>,
): Promise<{ keys: string[]; isSpread: boolean }> {
  const keys = await find();
  if (keys.length === count && keys.every(({ length }) => length <= keyLengthMax)) return { keys, isSpread: false };
  await spread(tx, organisationId, columnId);
  return { keys: await find(), isSpread: true };
}

/** The key of the place on top of a column. */
export async function keyOnTop(
  tx: Transaction,
  organisationId: string,
  columnId: string,
  movedId: string,
): Promise<string> {
  const { below, fresh } = await gapBelow(tx, organisationId, columnId, [movedId], null);
  return below === null || below < fresh ? fresh : `${below}8`;
}

/** As many keys directly below a card of a column, the greatest first; none where there is no room. Throws `card_moved_away`. */
export async function keysBelow(
  tx: Transaction,
  organisationId: string,
  columnId: string,
  movedIds: readonly string[],
  aboveId: string,
): Promise<string[]> {
  const { above, below, fresh } = await gapBelow(tx, organisationId, columnId, movedIds, aboveId);
  if (above === null) throw new Error("there is nothing to lie below");
  return keysBetween(below ?? bottomBelow(above, fresh), above, movedIds.length);
}

const bottomBelow = (above: string, fresh: string) => {
  const lowest = keyBelowAll(fresh);
  return lowest < above ? lowest : "";
};

/** The keys that what is moved comes to lie between, without its own; `fresh` is one of the present. Throws `card_moved_away`. */
async function gapBelow(
  tx: Transaction,
  organisationId: string,
  columnId: string,
  movedIds: readonly string[],
  aboveId: string | null,
) {
  const { rows } = await sql<{ above: string | null; below: string | null; fresh: string }>`
    with above as materialized (
      select position, id from tickets
      where organisation_id = ${organisationId} and column_id = ${columnId} and id = ${aboveId}
        and id <> all(${movedIds}::uuid[]))
    select (select position from above) as above, replace(uuidv7()::text, '-', '') as fresh,
      (select position from tickets
        where organisation_id = ${organisationId} and column_id = ${columnId} and id <> all(${movedIds}::uuid[])
          and (${aboveId}::uuid is null or (position, id) < (select position, id from above))
        order by position desc, id desc limit 1) as below`.execute(tx);
  const gap = rows[0] as (typeof rows)[number];
  if (aboveId !== null && gap.above === null) throw new Refusal("card_moved_away");
  return gap;
}

/** Gives all cards of a column short keys in the order that they have, below those that new cards will take. */
async function spread(tx: Transaction, organisationId: string, columnId: string) {
  await sql`
    update tickets set position = '01' || lpad(to_hex(place.number), 8, '0')
    from (
      select id, row_number() over (order by position, id) as number from tickets
      where organisation_id = ${organisationId} and column_id = ${columnId}) place
    where organisation_id = ${organisationId} and tickets.id = place.id`.execute(tx);
}
