import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { announceViews } from "./announce-views.ts";

/** Deletes the member's own view or, for owners and admins, a shared one. Throws `view_not_found`. */
export async function deleteBoardView({ db, announce }: Deps, actor: Actor, viewId: string): Promise<void> {
  const { organisationId, userId, role } = actor;
  const deleted = await db
    .deleteFrom("board_views")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", viewId)
    .where((of) => of.or([of("user_id", "=", userId), ...(role === "member" ? [] : [of("shared", "=", true)])]))
    .returning("shared")
    .executeTakeFirst();
  if (!deleted) throw new Refusal("view_not_found");
  announceViews(announce, actor, deleted.shared);
}
