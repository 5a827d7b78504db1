import type { DeletionQuery } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../../people/access/find-actor.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { holdEmptyColumns } from "./hold-empty-columns.ts";
import { listSiblings } from "./list-siblings.ts";
import { lockBoardOf } from "./lock-board.ts";

/** Deletes a column without cards. Throws `column_not_found`, `not_empty`, `only_archived` or `last_column`. */
export async function deleteColumn(
  { db }: Deps,
  { organisationId }: Actor,
  columnId: string,
  query: DeletionQuery,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const boardId = await lockBoardOf(tx, organisationId, columnId);
    const columns = boardId ? await listSiblings(tx, "columns", organisationId, boardId) : [];
    const id = columns.find((column) => column === columnId.toLowerCase());
    if (!boardId || !id) throw new Refusal("column_not_found");
    await holdEmptyColumns(tx, organisationId, [id], query);
    if (columns.length === 1) throw new Refusal("last_column");
    await tx.deleteFrom("columns").where("organisation_id", "=", organisationId).where("id", "=", id).execute();
    await publish(tx, organisationId, { kind: "board.changed", boardId });
  });
}
