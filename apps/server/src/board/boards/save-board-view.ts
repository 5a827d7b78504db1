import type { BoardSearch, BoardView, SaveBoardView } from "@lodge/contract/dashboard/boards";
import { boardViewsMax } from "@lodge/contract/limits";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { lockBoard } from "./lock-board.ts";

/**
 * Saves a filter of a board for a member, in place of the one that he has saved of it under the same name. Throws
 * `board_not_found`, or `too_many` beyond 50.
 */
export async function saveBoardView(
  { db, announce }: Deps,
  { organisationId, userId }: Actor,
  boardId: string,
  { name, filter }: SaveBoardView,
): Promise<BoardView> {
  const view = await db.transaction().execute(async (tx) => {
    const id = await lockBoard(tx, organisationId, boardId);
    if (!id) throw new Refusal("board_not_found");
    const others = await tx
      .selectFrom("board_views")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("organisation_id", "=", organisationId)
      .where("user_id", "=", userId)
      .where("board_id", "=", id)
      .where("name", "<>", name)
      .executeTakeFirstOrThrow();
    if (Number(others.count) >= boardViewsMax) throw new Refusal("too_many");
    return tx
      .insertInto("board_views")
      .values({ organisation_id: organisationId, user_id: userId, board_id: id, name, filter: JSON.stringify(filter) })
      .onConflict((conflict) =>
        conflict
          .columns(["organisation_id", "user_id", "board_id", "name"])
          .doUpdateSet(({ ref }) => ({ filter: ref("excluded.filter") })),
      )
      .returning(["id", "board_id as boardId", "name", "filter"])
      .executeTakeFirstOrThrow();
  });
  announce(organisationId, { kind: "views.changed", userId });
  return { ...view, filter: view.filter as BoardSearch };
}
