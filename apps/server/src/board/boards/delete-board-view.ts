import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/** Forgets a view that the member has saved. Throws `view_not_found`. */
export async function deleteBoardView(
  { db, announce }: Deps,
  { organisationId, userId }: Actor,
  viewId: string,
): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom("board_views")
    .where("organisation_id", "=", organisationId)
    .where("user_id", "=", userId)
    .where("id", "=", viewId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw new Refusal("view_not_found");
  announce(organisationId, { kind: "views.changed", userId });
}
