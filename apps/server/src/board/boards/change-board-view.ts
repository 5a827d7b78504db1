import type { BoardSearch, BoardView, ChangeBoardView } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../../people/access/find-actor.ts";
import { isUniqueViolation } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/** Renames a view that the member has saved, or changes its filter. Throws `view_not_found` or `view_name_taken`. */
export async function changeBoardView(
  { db, announce }: Deps,
  { organisationId, userId }: Actor,
  viewId: string,
  { name, filter }: ChangeBoardView,
): Promise<BoardView> {
  const view = await db
    .updateTable("board_views")
    .set({ ...(name !== undefined && { name }), ...(filter && { filter: JSON.stringify(filter) }) })
    .where("organisation_id", "=", organisationId)
    .where("user_id", "=", userId)
    .where("id", "=", viewId)
    .returning(["id", "board_id as boardId", "name", "filter"])
    .executeTakeFirst()
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? new Refusal("view_name_taken") : error;
    });
  if (!view) throw new Refusal("view_not_found");
  announce(organisationId, { kind: "views.changed", userId });
  return { ...view, filter: view.filter as BoardSearch };
}
