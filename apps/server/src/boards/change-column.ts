import type { ChangeColumn, ColumnSummary } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../access/find-actor.ts";
import { publish } from "../platform/database/publish.ts";
import { renumber, withMoved } from "../platform/database/renumber.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { listSiblings } from "./list-siblings.ts";
import { lockBoardOf } from "./lock-board.ts";

/** Renames a column, or moves it on its board. Throws `column_not_found`. */
export function changeColumn(
  { db }: Deps,
  { organisationId }: Actor,
  columnId: string,
  { name, index }: ChangeColumn,
): Promise<ColumnSummary> {
  return db.transaction().execute(async (tx) => {
    const boardId = await lockBoardOf(tx, organisationId, columnId);
    const column = await tx
      .updateTable("columns")
      .set((eb) => ({ name: name ?? eb.ref("name") }))
      .where("organisation_id", "=", organisationId)
      .where("id", "=", columnId)
      .returning(["id", "name"])
      .executeTakeFirst();
    if (!boardId || !column) throw new Refusal("column_not_found");
    if (index !== undefined) {
      const ids = await listSiblings(tx, "columns", organisationId, boardId);
      await renumber(tx, "columns", organisationId, withMoved(ids, column.id, index));
    }
    await publish(tx, organisationId, { kind: "board.changed", boardId });
    return column;
  });
}
