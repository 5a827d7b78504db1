import type { BoardSearch, BoardViewList } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";

/** The views that a member has saved of the boards of the organisation, by name. */
export async function listBoardViews({ db }: Deps, { organisationId, userId }: Actor): Promise<BoardViewList> {
  const views = await db
    .selectFrom("board_views")
    .select(["id", "board_id as boardId", "name", "filter"])
    .where("organisation_id", "=", organisationId)
    .where("user_id", "=", userId)
    .orderBy("name")
    .orderBy("id")
    .execute();
  return { views: views.map((view) => ({ ...view, filter: view.filter as BoardSearch })) };
}
