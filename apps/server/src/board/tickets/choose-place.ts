import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";
import { keyOnTop, keysBelow, withRoom } from "./move-ticket.ts";
import type { TicketRow } from "./read-ticket.ts";

/** The wanted place of a ticket; omitted parts keep their current values. */
export type Placement = {
  boardId?: string | undefined;
  columnId?: string | undefined;
  position?: "top" | "bottom" | undefined;
  done?: boolean | undefined;
};

/** The target column of a ticket, locked against other moves into it. */
export type Target = {
  id: string;
  name: string;
  isDone: boolean;
  boardId: string;
  boardName: string;
  /** Whether it is the only column of its board. */
  isOnly: boolean;
};

/** A ticket's target column: a named one, its board's last or leftmost, or its own; undefined if it stays. */
type Wanted = { boardId: string; columnId?: string; order: "done" | "leftmost" } | undefined;

/** The place that a ticket should get, given its current state. States with the same result have the same target. */
export function wantedPlace(row: TicketRow, { boardId, columnId, position, done }: Placement): Wanted {
  const board = boardId?.toLowerCase() ?? row.board_id;
  if (columnId !== undefined) return { boardId: board, columnId: columnId.toLowerCase(), order: "leftmost" };
  if (done === true && (row.done_at === null || board !== row.board_id)) return { boardId: board, order: "done" };
  if (done === false && row.done_at !== null) return { boardId: board, order: "leftmost" };
  if (board !== row.board_id) return { boardId: board, order: "leftmost" };
  return position === undefined ? undefined : { boardId: board, columnId: row.column_id, order: "leftmost" };
}

/**
 * Finds and locks the target column before the ticket itself, as every move does. Throws `board_not_found` or
 * `column_not_found`.
 */
export async function lockTarget(tx: Transaction, row: TicketRow, organisationId: string, wanted: Wanted) {
  if (!wanted) return undefined;
  const board = await tx
    .selectFrom("boards")
    .select("name")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", wanted.boardId)
    .where("project_id", "=", row.project_id)
    .executeTakeFirst();
  if (!board) throw new Refusal("board_not_found");
  const order = wanted.order === "done" ? sql`is_done desc, position desc, id desc` : sql`is_done, position, id`;
  const { rows } = await sql<Omit<Target, "boardId" | "boardName">>`
    select id, name, is_done as "isDone", not exists (
      select from columns other
      where other.organisation_id = columns.organisation_id and other.board_id = columns.board_id
        and other.id <> columns.id) as "isOnly"
    from columns
    where organisation_id = ${organisationId} and board_id = ${wanted.boardId}
      and (${wanted.columnId ?? null}::uuid is null or id = ${wanted.columnId ?? null})
    order by ${order} limit 1 for no key update`.execute(tx);
  if (!rows[0]) throw new Refusal("column_not_found");
  return { ...rows[0], boardId: wanted.boardId, boardName: board.name } satisfies Target;
}

/** The key of the top or the bottom of a column; undefined if the ticket is already there. */
export async function placeAt(
  tx: Transaction,
  organisationId: string,
  ticket: TicketRow,
  target: Target,
  position: "top" | "bottom",
): Promise<{ key: string; isSpread: boolean } | undefined> {
  const others = tx
    .selectFrom("tickets")
    .select(["id", "position"])
    .where("organisation_id", "=", organisationId)
    .where("column_id", "=", target.id)
    .where("id", "<>", ticket.id)
    .limit(1);
  const isTop = position === "top";
  const outermost = await (isTop
    ? others.orderBy("position", "desc").orderBy("id", "desc")
    : others.orderBy("position").orderBy("id")
  ).executeTakeFirst();
  if (target.id === ticket.column_id) {
    if (!outermost || outermost.position < ticket.position === isTop) return undefined;
  }
  const find = async () =>
    isTop || !outermost
      ? [await keyOnTop(tx, organisationId, target.id, ticket.id)]
      : keysBelow(tx, organisationId, target.id, [ticket.id], outermost.id);
  const { keys, isSpread } = await withRoom(tx, organisationId, target.id, 1, await find(), find);
  return { key: keys[0] ?? ticket.position, isSpread };
}
