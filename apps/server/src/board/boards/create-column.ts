import type { ColumnSummary, CreateColumn } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../../people/access/find-actor.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { listSiblings } from "./list-siblings.ts";
import { lockBoard } from "./lock-board.ts";

const columnsMax = 100;

/** Creates a column at the right of a board. Throws `board_not_found`, or `too_many` beyond 100. */
export function createColumn(
  { db }: Deps,
  { organisationId }: Actor,
  { boardId, name }: CreateColumn,
): Promise<ColumnSummary> {
  return db.transaction().execute(async (tx) => {
    const id = await lockBoard(tx, organisationId, boardId);
    if (!id) throw new Refusal("board_not_found");
    const position = (await listSiblings(tx, "columns", organisationId, id)).length;
    if (position >= columnsMax) throw new Refusal("too_many");
    const column = await tx
      .insertInto("columns")
      .values({ organisation_id: organisationId, board_id: id, name, position })
      .returning(["id", "name", "is_done as isDone"])
      .executeTakeFirstOrThrow();
    await publish(tx, organisationId, { kind: "board.changed", boardId: id });
    return column;
  });
}
