import type { SetFavourite } from "@lodge/contract/dashboard/boards";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/** Adds a board to the member's favourites, or removes it. Throws `board_not_found`. */
export async function setFavourite(
  { db, announce }: Deps,
  { organisationId, userId }: Actor,
  boardId: string,
  { favourite }: SetFavourite,
): Promise<void> {
  const { rows } = await sql`
    with board as (select id from boards where organisation_id = ${organisationId} and id = ${boardId}), added as (
      insert into board_favourites (organisation_id, user_id, board_id)
      select ${organisationId}, ${userId}, id from board where ${favourite}
      on conflict do nothing), removed as (
      delete from board_favourites where organisation_id = ${organisationId} and user_id = ${userId}
        and board_id = ${boardId} and not ${favourite})
    select from board`.execute(db);
  if (rows.length === 0) throw new Refusal("board_not_found");
  announce(organisationId, { kind: "views.changed", userId });
}
