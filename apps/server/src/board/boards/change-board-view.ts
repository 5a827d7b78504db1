import type { BoardView, ChangeBoardView } from "@lodge/contract/dashboard/boards";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { isUniqueViolation } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { announceViews } from "./announce-views.ts";
import { viewColumns } from "./view-columns.ts";

/**
 * Renames a view, changes its filter, or starts or stops sharing it. Members change their own views; owners and admins
 * change shared ones too. Throws `view_not_found` or `view_name_taken`.
 */
export async function changeBoardView(
  { db, announce }: Deps,
  actor: Actor,
  viewId: string,
  { name, filter, shared }: ChangeBoardView,
): Promise<BoardView> {
  const { organisationId, userId, role } = actor;
  const { rows } = await sql<BoardView & { wasShared: boolean }>`
    update board_views set name = coalesce(${name ?? null}, name), shared = coalesce(${shared ?? null}, shared),
      filter = coalesce(${filter ? JSON.stringify(filter) : null}::jsonb, filter)
    where organisation_id = ${organisationId} and id = ${viewId}
      and (user_id = ${userId} or shared and ${role !== "member"})
    returning ${viewColumns(userId)}, old.shared as "wasShared"`
    .execute(db)
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? new Refusal("view_name_taken") : error;
    });
  const [changed] = rows;
  if (!changed) throw new Refusal("view_not_found");
  const { wasShared, ...view } = changed;
  announceViews(announce, actor, view.shared || wasShared);
  return view;
}
