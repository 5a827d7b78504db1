import type { BoardSummary, ChangeBoard } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../../people/access/find-actor.ts";
import { publish } from "../../platform/database/publish.ts";
import { renumber, withMoved } from "../../platform/database/renumber.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { listSiblings } from "./list-siblings.ts";

/** Renames a board, moves it within its project, or changes how long it keeps done cards. Throws `board_not_found`. */
export function changeBoard(
  { db }: Deps,
  { organisationId }: Actor,
  boardId: string,
  { name, index, doneCardDays }: ChangeBoard,
): Promise<BoardSummary> {
  return db.transaction().execute(async (tx) => {
    const found = await tx
      .selectFrom("boards")
      .select("project_id")
      .where("organisation_id", "=", organisationId)
      .where("id", "=", boardId)
      .executeTakeFirst();
    if (!found) throw new Refusal("board_not_found");
    // Locked before the board, so that two people who move boards of one project wait for each other only once.
    await tx
      .selectFrom("projects")
      .select("id")
      .where("organisation_id", "=", organisationId)
      .where("id", "=", found.project_id)
      .forNoKeyUpdate()
      .execute();
    const board = await tx
      .updateTable("boards")
      .set((eb) => ({
        name: name ?? eb.ref("name"),
        done_card_days: doneCardDays === undefined ? eb.ref("done_card_days") : doneCardDays,
      }))
      .where("organisation_id", "=", organisationId)
      .where("id", "=", boardId)
      .returning(["id", "name"])
      .executeTakeFirst();
    if (!board) throw new Refusal("board_not_found");
    if (index !== undefined) {
      const ids = await listSiblings(tx, "boards", organisationId, found.project_id);
      await renumber(tx, "boards", organisationId, withMoved(ids, board.id, index));
    }
    await publish(tx, organisationId, { kind: "projects.changed" });
    await publish(tx, organisationId, { kind: "board.changed", boardId: board.id });
    return board;
  });
}
