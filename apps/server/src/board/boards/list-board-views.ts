import type { BoardView, BoardViewList } from "@lodge/contract/dashboard/boards";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { viewColumns } from "./view-columns.ts";

/** The member's own views and the shared ones of the organisation, by name, and the member's favourite boards. */
export async function listBoardViews({ db }: Deps, { organisationId, userId }: Actor): Promise<BoardViewList> {
  const { rows: views } = await sql<BoardView>`
    select ${viewColumns(userId)} from board_views
    where organisation_id = ${organisationId} and (user_id = ${userId} or shared)
    order by name, id`.execute(db);
  const favourites = await db
    .selectFrom("board_favourites")
    .select("board_id")
    .where("organisation_id", "=", organisationId)
    .where("user_id", "=", userId)
    .execute();
  return { views, favouriteBoardIds: favourites.map(({ board_id }) => board_id) };
}
