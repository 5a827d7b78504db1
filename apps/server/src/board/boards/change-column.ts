import type { ChangeColumn, ColumnSummary } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../../people/access/find-actor.ts";
import { publish } from "../../platform/database/publish.ts";
import { renumber, withMoved } from "../../platform/database/renumber.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { markDone } from "../tickets/mark-done.ts";
import { listSiblings } from "./list-siblings.ts";
import { lockBoardOf } from "./lock-board.ts";
import { setDoneColumn } from "./set-done-column.ts";

/** Renames a column, moves it on its board, or makes it the done column. Throws `column_not_found`. */
export function changeColumn(
  { db, clock }: Deps,
  { organisationId }: Actor,
  columnId: string,
  { name, index, isDone }: ChangeColumn,
): Promise<ColumnSummary> {
  return db.transaction().execute(async (tx) => {
    const boardId = await lockBoardOf(tx, organisationId, columnId);
    if (boardId && isDone) await setDoneColumn(tx, organisationId, { boardId, columnId, at: clock.now() });
    const column = await tx
      .updateTable("columns")
      .set((eb) => ({ name: name ?? eb.ref("name"), is_done: isDone ?? eb.ref("is_done") }))
      .where("organisation_id", "=", organisationId)
      .where("id", "=", columnId)
      .returning(["id", "name", "is_done as isDone"])
      .executeTakeFirst();
    if (!boardId || !column) throw new Refusal("column_not_found");
    if (isDone === false) await markDone(tx, organisationId, column.id, null);
    if (index !== undefined) {
      const ids = await listSiblings(tx, "columns", organisationId, boardId);
      await renumber(tx, "columns", organisationId, withMoved(ids, column.id, index));
    }
    await publish(tx, organisationId, { kind: "board.changed", boardId });
    return column;
  });
}
