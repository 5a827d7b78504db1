import type { Transaction } from "../../platform/database/database.ts";

/** The organisation's board, if it exists. No column is created, moved or deleted until the transaction ends. */
export async function lockBoard(tx: Transaction, organisationId: string, boardId: string): Promise<string | undefined> {
  const board = await tx
    .selectFrom("boards")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", boardId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return board?.id;
}

/** The board of a column, locked in the same way. */
export async function lockBoardOf(
  tx: Transaction,
  organisationId: string,
  columnId: string,
): Promise<string | undefined> {
  const column = await tx
    .selectFrom("columns")
    .select("board_id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", columnId)
    .executeTakeFirst();
  return column && lockBoard(tx, organisationId, column.board_id);
}
