import type { BoardView, SaveBoardView } from "@lodge/contract/dashboard/boards";
import { boardViewsMax } from "@lodge/contract/limits";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { announceViews } from "./announce-views.ts";
import { lockBoard } from "./lock-board.ts";
import { viewColumns } from "./view-columns.ts";

/**
 * Saves a filter of a board for a member, replacing their own view with the same name; everybody sees a shared one.
 * Throws `board_not_found`, or `too_many` beyond 50.
 */
export async function saveBoardView(
  { db, announce }: Deps,
  actor: Actor,
  boardId: string,
  { name, filter, shared = false }: SaveBoardView,
): Promise<BoardView> {
  const { organisationId, userId } = actor;
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
    const { rows } = await sql<BoardView>`
      insert into board_views (organisation_id, user_id, board_id, name, filter, shared)
      values (${organisationId}, ${userId}, ${id}, ${name}, ${JSON.stringify(filter)}, ${shared})
      on conflict (organisation_id, user_id, board_id, name)
        do update set filter = excluded.filter, shared = excluded.shared
      returning ${viewColumns(userId)}`.execute(tx);
    return rows[0] as BoardView;
  });
  announceViews(announce, actor, view.shared);
  return view;
}
