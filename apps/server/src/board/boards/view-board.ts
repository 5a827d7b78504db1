import type { Board, BoardQuery } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { emptyPage, pageCardsMax, readPages } from "./list-cards.ts";

/** The number of cards that a board opens with; with more columns, each has fewer. Compressed, that is about 25 kB. */
const boardCardsMax = 300;
const pageCardsMin = 10;

/**
 * A board with its columns and, unless omitted, the topmost cards of each that pass the filter. Throws
 * `board_not_found` or `rate_limit_exceeded`.
 */
export async function viewBoard(
  { db }: Deps,
  { organisationId }: Actor,
  boardId: string,
  { cards, ...filter }: BoardQuery,
): Promise<Board> {
  const board = await db
    .selectFrom("boards")
    .innerJoin("projects", (join) =>
      join
        .onRef("projects.organisation_id", "=", "boards.organisation_id")
        .onRef("projects.id", "=", "boards.project_id"),
    )
    .select([
      "boards.id",
      "boards.name",
      "boards.done_card_days",
      "projects.id as project_id",
      "projects.name as project_name",
    ])
    .where("boards.organisation_id", "=", organisationId)
    .where("boards.id", "=", boardId)
    .executeTakeFirst();
  if (!board) throw new Refusal("board_not_found");
  const columns = await db
    .selectFrom("columns")
    .select(["id", "name", "is_done as isDone"])
    .where("organisation_id", "=", organisationId)
    .where("board_id", "=", board.id)
    .orderBy("position")
    .orderBy("id")
    .execute();
  const ids = columns.map(({ id }) => id);
  const pageCards = Math.min(pageCardsMax, Math.max(pageCardsMin, Math.floor(boardCardsMax / ids.length)));
  const pages = await readPages(db, organisationId, ids, filter, null, cards === "none" ? 0 : pageCards);
  return {
    id: board.id,
    name: board.name,
    project: { id: board.project_id, name: board.project_name },
    doneCardDays: board.done_card_days,
    columns: columns.map((column) => ({ ...column, ...(pages.get(column.id) ?? emptyPage) })),
  };
}
