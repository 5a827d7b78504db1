import type { ColumnDeletionQuery } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../../people/access/find-actor.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { moveAllCards } from "../tickets/move-all-cards.ts";
import { holdEmptyColumns } from "./hold-empty-columns.ts";
import { listSiblings } from "./list-siblings.ts";
import { lockBoardOf } from "./lock-board.ts";

/**
 * Deletes a column without cards, or one whose cards are moved to another column of its board first. Throws
 * `column_not_found`, `not_empty`, `only_archived`, `last_column` or `too_many_cards`.
 */
export async function deleteColumn(
  deps: Deps,
  actor: Actor,
  columnId: string,
  { moveTo, ...query }: ColumnDeletionQuery,
): Promise<void> {
  const { organisationId } = actor;
  await deps.db.transaction().execute(async (tx) => {
    const boardId = await lockBoardOf(tx, organisationId, columnId);
    const columns = boardId ? await listSiblings(tx, "columns", organisationId, boardId) : [];
    const id = columns.find((column) => column === columnId.toLowerCase());
    if (!boardId || !id) throw new Refusal("column_not_found");
    if (moveTo !== undefined) {
      const target = columns.find((column) => column === moveTo.toLowerCase() && column !== id);
      if (!target) throw new Refusal("column_not_found");
      await moveAllCards(deps, tx, actor, id, target);
    }
    await holdEmptyColumns(tx, organisationId, [id], query);
    if (columns.length === 1) throw new Refusal("last_column");
    await tx.deleteFrom("columns").where("organisation_id", "=", organisationId).where("id", "=", id).execute();
    await publish(tx, organisationId, { kind: "board.changed", boardId });
  });
}
