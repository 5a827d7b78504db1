import type { MovedCard, MoveTicket } from "@lodge/contract/dashboard/tickets";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { doneness } from "./archival.ts";
import { type CardRow, cardColumns, cardJoins, toCard } from "./card.ts";
import { keyBelowAll, keysBetween } from "./position.ts";
import { insertActivity } from "./record-activity.ts";
import { reopening } from "./reopening.ts";

/** A column whose keys are longer than this is respaced. */
const keyLengthMax = 60;

/** The keys between which cards are inserted, null at an end; `fresh` is a key made now. */
type Gap = { upper: string | null; lower: string | null; fresh: string };

/** A card's current place, and its target column and gap. */
type Move = Gap & {
  from_column_id: string;
  from_column_name: string;
  from_board_id: string;
  from_board_name: string;
  column_name: string;
  column_is_done: boolean;
  board_id: string;
  board_name: string;
};

/**
 * Moves a card directly below another one, or to the top of a column, by writing only its own row. Other moves into the
 * column wait meanwhile; filing does not. The transaction takes four round trips: begin, lock and read, write, commit.
 * Throws `ticket_not_found`, `column_not_found` or `card_moved_away`.
 */
export async function moveTicket(
  deps: Deps,
  actor: Actor,
  ticketId: string,
  { belowTicketId, ...place }: MoveTicket,
): Promise<MovedCard> {
  const { organisationId } = actor;
  const columnId = place.columnId.toLowerCase();
  const keysOf = (gap: Gap) => (belowTicketId === null ? [keyInGapOnTop(gap)] : keysInGap(gap, 1));
  const { card, move, isSpread } = await reopening(deps.db, async (tx) => {
    const move = await lockForMove(tx, organisationId, ticketId, columnId, belowTicketId);
    const { keys, isSpread } = await withRoom(tx, organisationId, columnId, 1, keysOf(move), async () =>
      keysOf(await readGap(tx, organisationId, columnId, [ticketId], belowTicketId)),
    );
    const card = await writeMove(deps, tx, actor, ticketId, { columnId, position: keys[0] ?? "" }, move);
    return { card, move, isSpread };
  });
  deps.announce(organisationId, {
    kind: "ticket.moved",
    ticketId: card.id,
    columnId: card.columnId,
    boardId: move.board_id,
    fromBoardId: move.from_board_id,
    fromColumnId: move.from_column_id,
  });
  if (isSpread) deps.announce(organisationId, { kind: "board.changed", boardId: move.board_id }); // all keys are new
  return card;
}

async function lockForMove(
  tx: Transaction,
  organisationId: string,
  ticketId: string,
  columnId: string,
  belowTicketId: string | null,
): Promise<Move> {
  const { rows } = await sql<Move | (Omit<Move, "board_id"> & { board_id: null })>`
    select * from lock_for_move(${organisationId}, ${ticketId}, ${columnId}, ${belowTicketId})`.execute(tx);
  const [move] = rows;
  if (!move) throw new Refusal("ticket_not_found");
  if (move.board_id === null) throw new Refusal("column_not_found");
  return move;
}

/** Writes the card's new place and, if the column changed, its history. */
async function writeMove(
  deps: Deps,
  tx: Transaction,
  actor: Actor,
  ticketId: string,
  place: { columnId: string; position: string },
  move: Move,
): Promise<MovedCard> {
  const isElsewhere = place.columnId !== move.from_column_id;
  const moved = tx
    .updateTable("tickets")
    .set({
      column_id: place.columnId,
      position: place.position,
      ...(isElsewhere && doneness(move.column_is_done, deps.clock.now())),
    })
    .where("organisation_id", "=", actor.organisationId)
    .where("id", "=", ticketId)
    .returningAll()
    .returning(sql<string>`old.position`.as("from_position"));
  const named = (board: string, column: string) =>
    move.board_id === move.from_board_id ? column : `${board} / ${column}`;
  const told = insertActivity(deps, tx, actor, ticketId, {
    kind: "ticket.moved",
    from: named(move.from_board_name, move.from_column_name),
    to: named(move.board_name, move.column_name),
  });
  const { rows } = await sql<CardRow & { from_position: string }>`
    with t as (${moved}) ${isElsewhere ? sql`, told as (${told})` : sql``}
    select ${cardColumns}, t.from_position from t ${cardJoins}`.execute(tx);
  const row = rows[0] as (typeof rows)[number];
  const undo = { ticketId: row.id, columnId: move.from_column_id, position: row.from_position, basedOn: place };
  return { ...toCard(row), undo };
}

/** The keys of a place in a column; if they are too long or too few, the column is respaced and they are found again. */
export async function withRoom(
  tx: Transaction,
  organisationId: string,
  columnId: string,
  count: number,
  keys: string[],
  findAgain: () => Promise<string[]>,
): Promise<{ keys: string[]; isSpread: boolean }> {
  if (keys.length === count && keys.every(({ length }) => length <= keyLengthMax)) return { keys, isSpread: false };
  await spread(tx, organisationId, columnId);
  return { keys: await findAgain(), isSpread: true };
}

/** The key of the top of a column. */
export async function keyOnTop(
  tx: Transaction,
  organisationId: string,
  columnId: string,
  movedId: string,
): Promise<string> {
  return keyInGapOnTop(await readGap(tx, organisationId, columnId, [movedId], null));
}

/**
 * Returns `count` keys directly below a card of a column, the greatest first; none if there is no room. Throws
 * `card_moved_away`.
 */
export async function keysBelow(
  tx: Transaction,
  organisationId: string,
  columnId: string,
  movedIds: readonly string[],
  aboveId: string,
): Promise<string[]> {
  return keysInGap(await readGap(tx, organisationId, columnId, movedIds, aboveId), movedIds.length);
}

const keyInGapOnTop = ({ lower, fresh }: Gap) => (lower === null || lower < fresh ? fresh : `${lower}8`);

function keysInGap({ upper, lower, fresh }: Gap, count: number): string[] {
  if (upper === null) throw new Refusal("card_moved_away");
  return keysBetween(lower ?? bottomBelow(upper, fresh), upper, count);
}

const bottomBelow = (upper: string, fresh: string) => {
  const lowest = keyBelowAll(fresh);
  return lowest < upper ? lowest : "";
};

/** The gap below a card of a column, or at its top, ignoring the cards that are moved themselves. */
async function readGap(
  tx: Transaction,
  organisationId: string,
  columnId: string,
  movedIds: readonly string[],
  aboveId: string | null,
): Promise<Gap> {
  const { rows } = await sql<Gap>`
    select * from gap_below(${organisationId}, ${columnId}, ${movedIds}::uuid[], ${aboveId})`.execute(tx);
  return rows[0] as Gap;
}

/** Gives all cards of a column short keys in their current order, below those that new cards will get. */
async function spread(tx: Transaction, organisationId: string, columnId: string) {
  await sql`
    update tickets set position = '01' || lpad(to_hex(place.number), 8, '0')
    from (
      select id, row_number() over (order by position, id) as number from tickets
      where organisation_id = ${organisationId} and column_id = ${columnId}) place
    where organisation_id = ${organisationId} and tickets.id = place.id`.execute(tx);
}
